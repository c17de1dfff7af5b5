package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
)

// optional is a text field of a patch. An absent field is kept, and null clears it.
type optional struct {
	value  *string // nil if the field is absent; empty for null
	isNull bool    // true if the field is null
}

// UnmarshalJSON sets the value, or the empty string for null. encoding/json does not call it for an
// absent field.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.value, o.isNull = new(string), string(data) == "null"
	return json.Unmarshal(data, o.value)
}

// Schema returns the schema of a string or null.
func (o optional) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

// notNull returns *memories.InvalidError if the field is null. It is for fields that cannot be
// cleared.
func (o optional) notNull(field string) error {
	if o.isNull {
		return &memories.InvalidError{Field: field, Reason: "is null; every memory needs one, leave the field out to keep it"}
	}
	return nil
}
