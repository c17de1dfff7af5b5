// Package model asks a language model. A question is a text with instructions, and the answer is JSON of a shape that was asked
// for, checked no further than that it is JSON: what it says is the caller's to believe. The package decides nothing and keeps
// nothing; recall asks through it.
package model

import (
	"context"
	"encoding/json"
	"time"
)

// SwitchOn says to people how to have a model asked where none is. Whatever needs one says so in these words.
const SwitchOn = "No model can be asked: set ANTHROPIC_API_KEY, or install the claude command line and sign in with it, and start Memoir again."

// A Model answers questions. It is safe for concurrent use.
type Model interface {
	// Ask returns the answer, a JSON value. It fails with an *Error where the model cannot be reached, refuses, or answers with
	// anything else, and with the context's error. What a failed question has cost is in the answer all the same. Nothing is
	// asked twice: whoever has the time asks again, as far as the Error says that this is of use.
	Ask(ctx context.Context, question Question) (Answer, error)
}

// Question is what a model is asked.
type Question struct {
	System string // how to answer
	Text   string // what it is about; data, not orders
	// Schema is the JSON schema of the answer: an object without further properties.
	Schema map[string]any
	// MaxTokens bounds the answer.
	MaxTokens int
}

// Answer is what a model said, and what that took.
type Answer struct {
	JSON  json.RawMessage
	Model string // the one that answered, as it calls itself
	// InputTokens counts those that the provider had in its cache too.
	InputTokens, OutputTokens int
}

// Error says why there is no answer.
type Error struct {
	why   string // in a few words, for people
	cause error  // may be nil
	again bool
	after time.Duration
	// misconfigured means that a person has to change a setting first.
	misconfigured bool
}

// Misconfigured reports whether a person has to change a setting, for example the key or the name of the model, before a question
// can be answered.
func (e *Error) Misconfigured() bool { return e.misconfigured }

// Again says whether the same question may be answered later, and after which time at the earliest, as far as the model said so (0: it did not).
// A question that is refused is refused again; who is busy, or not to be reached, is so for a while.
func (e *Error) Again() (worthwhile bool, after time.Duration) { return e.again, e.after }

func (e *Error) Error() string {
	if e.cause == nil {
		return e.why
	}
	return e.why + ": " + e.cause.Error()
}

func (e *Error) Unwrap() error { return e.cause }

// Plain says why in a few words that repeat nothing of what was asked or answered.
func (e *Error) Plain() string { return e.why }

// shortened is the beginning of an answer, for the log.
func shortened(text string) string {
	const most = 200
	if characters := []rune(text); len(characters) > most {
		return string(characters[:most]) + "…"
	}
	return text
}
