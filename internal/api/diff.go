package api

import (
	"bytes"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unifiedDiff returns the unified diff of two versions of the file at path. It is nil if they are
// equal.
func unifiedDiff(path string, before, after []byte) *string {
	if bytes.Equal(before, after) {
		return nil
	}
	old, now := validText(before), validText(after)
	diff, err := udiff.ToUnified(path, path, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits were computed from this text
	}
	return &diff
}

// validText returns raw as text, with each run of invalid UTF-8 replaced by U+FFFD.
func validText(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }
