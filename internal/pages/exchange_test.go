package pages_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"memoir/internal/exporter"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// upload sends a file with the form of the page for imports.
func (s *site) upload(t *testing.T, name string, file []byte, into string) *answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("into", into); err != nil {
		t.Fatal(err)
	}
	part, err := form.CreateFormFile("upload", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+"/exchange", &body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	return s.send(t, request)
}

func TestExchange_PreviewThenImport(t *testing.T) {
	t.Parallel()
	a := memoirtest.Start(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("tabs", memories.Feedback, "Use tabs.")})
	write, err := exporter.New(a.Engine, a.Store).Export(t.Context(), exporter.Request{Format: exporter.Archive})
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := write(context.Background(), &archive); err != nil {
		t.Fatal(err)
	}
	s := serve(t, memoirtest.Files{"bob/memory/only.md": memoirtest.Note("only", memories.User, "Bob's.")})
	page := s.get(t, "/exchange")
	if got := page.Find(`form[enctype="multipart/form-data"]`).Length(); got != 1 || page.Find(`a[href="/api/v1/export?format=archive"]`).Length() != 1 {
		t.Fatalf("the page has no form or no export:\n%s", page.raw)
	}
	if link := s.get(t, "/sync").Find(`a[href="/exchange"]`).Length(); link != 1 {
		t.Error("the page Sync has no link")
	}
	preview := s.upload(t, "memoir.tar.zst", archive.Bytes(), "")
	if text := preview.Find("#main").Text(); preview.StatusCode != http.StatusOK || !strings.Contains(text, "1 new") || !strings.Contains(text, "tabs") {
		t.Fatalf("preview: status %d\n%s", preview.StatusCode, text)
	}
	if got := s.Read("ada/memory/tabs.md"); got != "" {
		t.Fatalf("the preview has written %q", got)
	}
	done := s.submit(t, preview, "Import")
	if text := done.Find("#main").Text(); done.StatusCode != http.StatusOK || !strings.Contains(text, "Imported") {
		t.Fatalf("import: status %d\n%s", done.StatusCode, text)
	}
	if m := s.Memory("ada", "tabs"); m.Body != "Use tabs." || s.Read("ada/memory/tabs.md") == "" {
		t.Errorf("tabs = %+v", m)
	}
	if again := s.submit(t, preview, "Import"); again.StatusCode != http.StatusConflict {
		t.Errorf("a second import of the file: status %d, want 409", again.StatusCode)
	}

	t.Run("one note into an agent", func(t *testing.T) {
		preview := s.upload(t, "x.md", []byte("# Deploys\n\nRun make.\n"), "bob")
		s.submit(t, preview, "Import")
		waittest.For(t, "the search index", s.Engine.Searchable)
		found := false
		page, err := s.Store.Search(t.Context(), memories.Filter{Query: "deploys"}, memories.PageRequest{Limit: 5})
		for _, m := range page.Memories {
			found = found || m.Agent == "bob" && strings.Contains(m.Body, "Run make.")
		}
		if err != nil || !found {
			t.Errorf("search = %+v, %v", page.Memories, err)
		}
	})
	t.Run("what is no import", func(t *testing.T) {
		if r := s.upload(t, "x.bin", []byte{0, 1, 2}, "bob"); r.StatusCode != http.StatusBadRequest {
			t.Errorf("a binary file: status %d", r.StatusCode)
		}
		if r := s.upload(t, "x.json", []byte(`{"a":1}`), "bob"); r.StatusCode != http.StatusBadRequest {
			t.Errorf("unknown JSON: status %d", r.StatusCode)
		}
		if r := s.upload(t, "x.json", nil, "bob"); r.StatusCode != http.StatusBadRequest {
			t.Errorf("no file: status %d", r.StatusCode)
		}
	})
}

func TestExchange_Reader(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("tabs", memories.Feedback, "Use tabs.")})
	s := serveMemoir(t, m, setting{token: "owner-token-of-a-test", readToken: "reader-token-of-a-test"})
	page := s.getWith(t, "/exchange", "Authorization", "Bearer reader-token-of-a-test")
	if page.StatusCode != http.StatusOK || page.Find(`#main form`).Length() != 0 || page.Find(`a[href*="format=archive"]`).Length() != 0 || page.Find(`a[href*="format=markdown"]`).Length() != 1 {
		t.Errorf("status %d, page of a reader:\n%s", page.StatusCode, page.Find("#main").Text())
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+"/exchange", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer reader-token-of-a-test")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusForbidden {
		t.Errorf("import by a reader: status %d %s", response.StatusCode, text)
	}
}
