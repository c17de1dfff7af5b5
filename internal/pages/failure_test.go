package pages_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/gate"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/waittest"
)

func TestAgents_EmptyAddsSamples(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, nil)
	s := serveMemoir(t, m, setting{addSamples: func() error {
		for path, text := range twoMemories() {
			m.Write(path, text)
		}
		return nil
	}})
	page := s.get(t, "/")
	page.expect(http.StatusOK, "No agents yet", s.Dir)
	page = s.submit(t, page, "Add sample agents")
	page.expect(http.StatusOK, "ada", "Added 3 sample agents")
}

func TestAgents_WithoutSamples(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	page := s.get(t, "/")
	page.expect(http.StatusOK, "No agents yet")
	if page.Find(`form[action="/samples"]`).Length() != 0 {
		t.Error("samples are offered")
	}
	s.post(t, "/samples", nil).expect(http.StatusNotFound)
}

func TestAddSamples_Conflict(t *testing.T) {
	t.Parallel()
	s := serveMemoir(t, memoirtest.Start(t, nil), setting{addSamples: func() error {
		return fmt.Errorf("wrapped: %w", &memories.ConflictError{Reason: "Something is there already. It was left alone."})
	}})
	s.submit(t, s.get(t, "/"), "Add sample agents").expect(http.StatusConflict, "Something is there already. It was left alone.")
}

func TestFailure_InternalHidesCause(t *testing.T) {
	t.Parallel()
	s := serveMemoir(t, memoirtest.Start(t, nil), setting{addSamples: func() error { return errors.New("the secret detail") }})
	page := s.submit(t, s.get(t, "/"), "Add sample agents")
	page.expect(http.StatusInternalServerError, "Internal error")
	id := words(page.Find(".failure code"))
	if id == "" || id != page.Header.Get("X-Request-Id") {
		t.Errorf("the page names request %q, the header %q", id, page.Header.Get("X-Request-Id"))
	}
	if strings.Contains(page.raw, "secret detail") {
		t.Error("the page tells the detail")
	}
	if log := s.log.String(); !strings.Contains(log, "the secret detail") || !strings.Contains(log, id) {
		t.Errorf("the log says %q", log)
	}
}

func TestForm_TooLargeOrMalformed(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	path := pageOf(s.Memory("ada", "Tabs")) + "/delete"
	s.post(t, path, url.Values{"back": {strings.Repeat("x", 1<<20)}}).expect(http.StatusRequestEntityTooLarge, "Nothing was changed")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+path, strings.NewReader("etag=%zz"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	s.send(t, request).expect(http.StatusBadRequest, "Nothing was changed")
	if s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("it was deleted")
	}
	over := url.Values{"name": {"Huge"}, "type": {"user"}, "body": {strings.Repeat("x", 5<<20)}}
	s.post(t, adaList+"/new", over).expect(http.StatusRequestEntityTooLarge, "Nothing was changed", "at most 1 MiB")
}

func TestFailure_DatabaseAway(t *testing.T) {
	t.Parallel()
	line := linetest.New(t, pgtest.New(t), nil)
	m := memoirtest.StartAt(t, line.URL, twoMemories())
	s := serveMemoir(t, m, setting{})
	seen := s.get(t, adaList)
	line.Cut()
	page := s.get(t, adaList)
	page.expect(http.StatusServiceUnavailable, "Database unavailable", "Memoir reconnects automatically")
	if page.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to come back")
	}
	if got := page.Find(".failure a").AttrOr("href", ""); got != adaList {
		t.Errorf("trying again leads to %q", got)
	}
	s.submit(t, seen, "Delete Tabs").expect(http.StatusServiceUnavailable, "Nothing was changed")
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("the file is gone")
	}
	line.Resume()
	waittest.For(m, "the page", func() bool { return s.get(t, adaList).StatusCode == http.StatusOK })
	s.submit(t, seen, "Delete Tabs").expect(http.StatusOK, "Deleted Tabs")
}

func TestSignIn_WrongToken(t *testing.T) {
	t.Parallel()
	for _, wrong := range []bool{false, true} {
		recorder := httptest.NewRecorder()
		pages.SignIn(recorder, httptest.NewRequest(http.MethodGet, "/sign-in", nil), gate.SignInForm{Next: "/agents/ada/memory?q=a&b", Wrong: wrong})
		page := recorder.Body.String()
		if got := recorder.Result().Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("it comes as %s", got)
		}
		if !strings.Contains(page, `name="next" value="/agents/ada/memory?q=a&amp;b"`) || !strings.Contains(page, `name="token"`) {
			t.Errorf("the form lacks a field:\n%s", page)
		}
		if strings.Contains(page, "Wrong token") != wrong {
			t.Errorf("wrong is %t, and the page says\n%s", wrong, page)
		}
	}
}
