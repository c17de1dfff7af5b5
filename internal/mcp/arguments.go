package mcp

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// normalised returns a tool's arguments as its schema expects them. It leaves out null values and
// empty optional texts, reads numbers from texts, and corrects the letter case of enum values.
// Values that it cannot correct stay, and the schema rejects them. If schema is nil or arguments
// are not an object, it returns arguments unchanged.
func normalised(schema *jsonschema.Schema, arguments json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if schema == nil || json.Unmarshal(arguments, &given) != nil {
		return arguments
	}
	for name, value := range given {
		required := slices.Contains(schema.Required, name)
		if bytes.Equal(value, []byte("null")) {
			delete(given, name)
			continue
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			given[name] = wholeNumber(schema.Properties[name], value)
			continue
		}
		if text == "" && !required {
			delete(given, name)
			continue
		}
		given[name] = convertText(schema.Properties[name], text, value)
	}
	normal, err := json.Marshal(given)
	if err != nil {
		return arguments
	}
	return normal
}

// convertText returns a text argument as JSON that its property expects. That is a number for an
// integer, or the enum value that differs only in letter case and surrounding space. Otherwise it
// returns value, which must be the JSON of text.
func convertText(property *jsonschema.Schema, text string, value json.RawMessage) json.RawMessage {
	if property == nil {
		return value
	}
	text = strings.TrimSpace(text)
	if property.Type == "integer" {
		if number, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(number, 0) {
			return wholeNumber(property, json.RawMessage(strconv.FormatFloat(number, 'f', -1, 64)))
		}
		return value
	}
	for _, one := range property.Enum {
		raw, err := json.Marshal(one)
		if err == nil && strings.EqualFold(string(raw), strconv.Quote(text)) {
			return raw
		}
	}
	return value
}

// wholeNumber returns 3 for a number such as 3.0 if the property is an integer. Otherwise, also for
// 3.5, it returns value unchanged.
func wholeNumber(property *jsonschema.Schema, value json.RawMessage) json.RawMessage {
	var number float64
	if property == nil || property.Type != "integer" || json.Unmarshal(value, &number) != nil {
		return value
	}
	if whole := int64(number); float64(whole) == number {
		return json.RawMessage(strconv.FormatInt(whole, 10))
	}
	return value
}
