package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// withSchema returns instructions for a model that cannot be asked for structured output.
func withSchema(system string, schema []byte) string {
	return system + "\n\nAnswer with a JSON value of this schema, and with nothing around it: no words, no code fence.\n" + string(schema)
}

// value returns the JSON value in the text that a model has written. Models without structured output put it into a code fence, or
// write words before and after it.
func value(text string) (json.RawMessage, error) {
	for _, candidate := range []string{text, fenced(text), braced(text)} {
		if found := bytes.TrimSpace([]byte(candidate)); json.Valid(found) {
			return found, nil
		}
	}
	return nil, &Error{why: "its answer was no JSON", cause: errors.New(shortened(text)), again: true}
}

// fence opens and closes a code block.
const fence = "```"

// fenced returns the text of the first code block. It is empty if there is none.
func fenced(text string) string {
	_, rest, found := strings.Cut(text, fence)
	if !found {
		return ""
	}
	if info, body, hasLine := strings.Cut(rest, "\n"); hasLine && !strings.ContainsAny(info, "{[") {
		rest = body
	}
	if end := strings.LastIndex(rest, fence); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// braced returns the text from the first brace to the last. It is empty if there is none.
func braced(text string) string {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return ""
	}
	return text[from : to+1]
}
