package ui_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"memoir/internal/words"
	"memoir/web/templates/ui"
)

func rendered(t *testing.T, r ui.Reader, c templ.Component) string {
	t.Helper()
	var html strings.Builder
	if err := c.Render(ui.ForReader(t.Context(), r), &html); err != nil {
		t.Fatal(err)
	}
	return html.String()
}

func TestButton_OnlyForWriters(t *testing.T) {
	t.Parallel()
	purge := ui.Action{Label: "Delete all", Path: "/purge", Confirm: "This cannot be undone.", ETag: `"1"`}
	if html := rendered(t, ui.Reader{}, ui.Button(purge)); html != "" {
		t.Errorf("a reader who may not write gets %q", html)
	}
	html := rendered(t, ui.Reader{CanWrite: true}, ui.Button(purge))
	for _, part := range []string{`action="/purge"`, "Yes, delete all", "This cannot be undone.", `name="etag"`} {
		if !strings.Contains(html, part) {
			t.Errorf("%q is not in %s", part, html)
		}
	}
}

func TestLayout_BackToResults(t *testing.T) {
	t.Parallel()
	page := ui.Layout("Tabs", ui.NoSection, ui.Frame{})
	for here, want := range map[string]bool{"/agents/a/memory/1?from=search&q=tabs": true, "/agents/a/memory/1?q=tabs": false, "": false} {
		html := rendered(t, ui.Reader{Here: here}, page)
		if got := strings.Contains(html, `<a href="/search?q=tabs" data-back>`); got != want {
			t.Errorf("%q: link back is %t, want %t", here, got, want)
		}
		if !strings.Contains(html, "<title>Tabs · Memoir</title>") {
			t.Errorf("%q: no title", here)
		}
	}
}

func TestMarkedText_IsEscaped(t *testing.T) {
	t.Parallel()
	got := rendered(t, ui.Reader{}, ui.MarkedText([]words.Part{{Text: "<b> "}, {Text: "\u202ea", Hit: true}}))
	if want := "&lt;b&gt; <mark>[U+202E]a</mark>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnchor_IDs(t *testing.T) {
	t.Parallel()
	if got := ui.Anchor("event", "/a b/ö-1/"); got != "event-a-b-1" {
		t.Errorf("Anchor() = %q", got)
	}
}
