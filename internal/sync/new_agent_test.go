package sync_test

import (
	"errors"
	"testing"

	"memoir/internal/memories"
)

func TestNewAgent_FoundOnRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/a.md", note("Known", memories.User, "text"))
	scan, err := b.engine.Scan(t.Context(), "ada")
	if err != nil || scan.Scanned != 1 || !b.hasNamed("ada", "Known") {
		t.Errorf("the scan found %+v, %v", scan, err)
	}
	b.write("bob/memory/b.md", note("Other", memories.User, "text"))
	if err := b.engine.CreateFile(t.Context(), "bob", "new.md", []byte("x")); err != nil {
		t.Errorf("a file of a new agent: %v", err)
	}
	for _, slug := range []string{"cas", "..", "", ".hidden", "a/b"} {
		if _, err := b.engine.Scan(t.Context(), slug); !errors.Is(err, memories.ErrNotFound) {
			t.Errorf("a scan of %q said %v", slug, err)
		}
	}
}
