// Package model asks language models. A question has instructions and a JSON schema; the answer is
// JSON, but not checked against the schema, so the caller must not trust it. The package stores
// nothing. Packages recall, extraction and consolidation call it.
package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// SwitchOn is a sentence for users that explains how to configure a model.
const SwitchOn = "No model can be asked: set ANTHROPIC_API_KEY, or install the claude command line and sign in with it, and start Memoir again."

// A Model answers questions. It is safe for concurrent use.
type Model interface {
	// Ask returns the answer, a JSON value. It returns an *Error if the model is unavailable,
	// refuses, or answers without JSON, and ctx.Err() if ctx ends. With an *Error, the answer has
	// the used tokens if they are known. Ask does not retry a failed question; Error.Again
	// reports whether the caller should. The model gets bullets in place of secrets in Text.
	Ask(ctx context.Context, question Question) (Answer, error)
}

// Question is a question to a model.
type Question struct {
	System string // instructions
	Text   string // data, which the model must not obey
	// Schema is the JSON schema of the answer: an object without additional properties.
	Schema map[string]any
	// MaxTokens is the maximum length of the answer.
	MaxTokens int
}

// TextSchema is the JSON schema of a text, for Question.Schema.
var TextSchema = map[string]any{"type": "string"}

// ObjectSchema returns the JSON schema of an object that has all of these properties and no
// others. properties maps names to their schemas.
func ObjectSchema(properties map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "properties": properties, "required": slices.Sorted(maps.Keys(properties)), "additionalProperties": false,
	}
}

// ListSchema returns the JSON schema of an array. element is the schema of its elements.
func ListSchema(element map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": element}
}

// Answer is a model's answer and the tokens that it used.
type Answer struct {
	JSON  json.RawMessage
	Model string // as named by the provider
	// InputTokens includes tokens from the provider's cache.
	InputTokens, OutputTokens int
}

// Error is the reason why there is no answer.
type Error struct {
	why   string // in a few words, for users
	cause error  // may be nil
	again bool
	after time.Duration
	// misconfigured means that a person must change a setting first.
	misconfigured bool
}

// Misconfigured reports whether a person must change a setting first, such as the key or the
// model's name. Again then returns false.
func (e *Error) Misconfigured() bool { return e.misconfigured }

// Again reports whether the same question may succeed later. after is the minimum delay that the
// model stated, or 0.
func (e *Error) Again() (worthwhile bool, after time.Duration) { return e.again, e.after }

func (e *Error) Error() string {
	if e.cause == nil {
		return e.why
	}
	return e.why + ": " + e.cause.Error()
}

func (e *Error) Unwrap() error { return e.cause }

// Plain returns the reason in a few words for users, without any part of the question or answer. If
// a person must change a setting, it has the endpoint's own words.
func (e *Error) Plain() string { return e.why }

// shortened returns text, or its first 200 characters and an ellipsis if it is longer.
func shortened(text string) string {
	const max = 200
	if characters := []rune(text); len(characters) > max {
		return string(characters[:max]) + "…"
	}
	return text
}

// withSchema returns the system prompt with the request to answer in a JSON schema, for a model
// without structured output.
func withSchema(system string, schema []byte) string {
	return system + "\n\nAnswer with a JSON value of this schema, and with nothing around it: no words, no code fence.\n" + string(schema)
}

// value returns the JSON value in a model's text. That is the whole text, the first code block, or
// the part from the first brace to the last: the first of these that is JSON. If none is JSON, it
// returns an *Error whose Again is true.
func value(text string) (json.RawMessage, error) {
	for _, candidate := range []string{text, fenced(text), braced(text)} {
		if found := bytes.TrimSpace([]byte(candidate)); json.Valid(found) {
			return found, nil
		}
	}
	return nil, &Error{why: "its answer was not JSON", cause: errors.New(shortened(text)), again: true}
}

// fence is the mark of a code block.
const fence = "```"

// fenced returns the text between the first and the last code fence, or to the end if there is
// only one. It removes the line of the first fence, unless JSON starts there. It returns "" if
// text has no fence.
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

// braced returns the text from the first opening brace to the last closing one, braces included.
// It returns "" if there is no such part.
func braced(text string) string {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return ""
	}
	return text[from : to+1]
}

const (
	// maxTimeouts is the number of consecutive timeouts that pauses a model (arbitrary).
	maxTimeouts = 3
	// pauseTime is how long a model is paused (arbitrary).
	pauseTime = 5 * time.Minute
)

// Pausing returns a Model that asks m. After maxTimeouts consecutive timeouts it is paused for
// pauseTime. While it is paused, Ask returns an *Error at once without asking m, and its Again
// returns the rest of the pause.
func Pausing(m Model) Model { return &pausing{model: m} }

type pausing struct {
	model Model

	mu       sync.Mutex
	timeouts int // consecutive
	until    time.Time
}

// Ask asks the model, returns its answer and error, and counts timeouts. While the model is
// paused, it returns an *Error at once.
func (p *pausing) Ask(ctx context.Context, question Question) (Answer, error) {
	p.mu.Lock()
	remaining := time.Until(p.until)
	p.mu.Unlock()
	if remaining > 0 {
		return Answer{}, &Error{why: "it is paused, because it did not answer in time", again: true, after: remaining}
	}
	answer, err := p.model.Ask(ctx, question)
	p.count(err)
	return answer, err
}

// count counts err if it is context.DeadlineExceeded, and begins a pause after maxTimeouts.
// context.Canceled changes nothing. nil and any other error reset the count to 0.
func (p *pausing) count(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled):
	case !errors.Is(err, context.DeadlineExceeded):
		p.timeouts = 0
	default:
		if p.timeouts++; p.timeouts >= maxTimeouts {
			p.timeouts, p.until = 0, time.Now().Add(pauseTime)
		}
	}
}
