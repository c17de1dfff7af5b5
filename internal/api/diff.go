package api

import (
	"bytes"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unified returns the unified diff of two versions of a file; nil when they are the same.
func unified(path string, before, after []byte) *string {
	if bytes.Equal(before, after) {
		return nil
	}
	old, now := validText(before), validText(after)
	diff, err := udiff.ToUnified(path, path, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits are those of the text
	}
	return &diff
}

// validText is what can stand in JSON of a file that may be anything.
func validText(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }
