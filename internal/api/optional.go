package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
)

// optional is a text of a patch: absent keeps what is there, null clears it.
type optional struct {
	value  *string // nil: absent
	isNull bool
}

// UnmarshalJSON is called only where the field is present.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.value, o.isNull = new(string), string(data) == "null"
	return json.Unmarshal(data, o.value)
}

// Schema says what the framework is to accept.
func (o optional) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

// notNull refuses null for a field that cannot be cleared.
func (o optional) notNull(field string) error {
	if o.isNull {
		return &memories.InvalidError{Field: field, Reason: "is null; every memory needs one, leave the field out to keep it"}
	}
	return nil
}
