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

// normalised returns a tool's arguments as models mean them: null and an empty optional text are
// left out, a number in a text is a number, and one of a few values may have any letter case. The
// schema refuses what is still wrong.
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
		given[name] = meant(schema.Properties[name], text, value)
	}
	normal, err := json.Marshal(given)
	if err != nil {
		return arguments
	}
	return normal
}

// meant returns the value of a property that was given as text; the value itself if it is as it
// should be, or cannot be understood.
func meant(property *jsonschema.Schema, text string, value json.RawMessage) json.RawMessage {
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

// wholeNumber writes a number such as 3.0 as 3 where a whole one is expected.
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
