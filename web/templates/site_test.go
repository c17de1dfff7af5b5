package templates_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// site answers as the server does, from rows in memory: redirects after forms, and events after
// changes.
type site struct {
	URL string

	mu        sync.Mutex
	changed   *sync.Cond
	lists     int // number of requests for the Memory tab
	actions   int
	banners   []ui.Banner
	rows      []templates.MemoryRow
	deleted   []templates.MemoryRow
	followers map[chan string]bool
	refuses   bool // every action, as after a change on disk
	away      bool // the Memory tab answers 503
}

func serveSite(t *testing.T) *site {
	t.Helper()
	s := &site{rows: believableRows(), followers: map[chan string]bool{}}
	s.changed = sync.NewCond(&s.mu)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /agents/{slug}/memory", s.list)
	mux.HandleFunc("GET /agents/{slug}/events", s.events)
	mux.HandleFunc("POST /agents/{slug}/memory/{id}/delete", s.remove)
	mux.HandleFunc("POST /agents/{slug}/memory/{id}/restore", s.restore)
	mux.HandleFunc("GET /agents/{slug}/memory/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.IndexFunc(s.rows, func(row templates.MemoryRow) bool { return row.ID == r.PathValue("id") })
		if i < 0 {
			http.NotFound(w, r)
			return
		}
		_ = readingPage(memoryPage(t, s.rows[i])).Render(r.Context(), w)
	})
	s.URL = guarded(t, mux)
	return s
}

func (s *site) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	s.changed.Broadcast()
	if s.away {
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = templates.FailurePage(templates.FailureOf(http.StatusServiceUnavailable)).Render(r.Context(), w)
		return
	}
	v := memoriesPage()
	v.View.Query = r.FormValue(address.FieldQuery)
	v.Banners = s.banners
	var rows []templates.MemoryRow
	for _, row := range s.rows {
		if strings.Contains(strings.ToLower(row.Name), strings.ToLower(v.View.Query)) {
			rows = append(rows, row)
		}
	}
	v.Groups, v.Found = grouped(rows), len(rows)
	for _, row := range s.deleted {
		if row.ID == r.FormValue("deleted") {
			notice := deletedNotice(row.Name, v.View.List())
			v.Notice = &notice
		}
	}
	if r.FormValue("restored") != "" {
		v.Notice = &ui.Notice{Text: "Restored."}
	}
	_ = templates.MemoriesPage(v).Render(r.Context(), w)
}

func (s *site) remove(w http.ResponseWriter, r *http.Request) {
	if s.move(&s.rows, &s.deleted, w, r) {
		http.Redirect(w, r, address.MemoriesPath(slug)+"?deleted="+r.PathValue("id"), http.StatusSeeOther)
	}
}

func (s *site) restore(w http.ResponseWriter, r *http.Request) {
	if s.move(&s.deleted, &s.rows, w, r) {
		http.Redirect(w, r, address.MemoriesPath(slug)+"?restored="+r.PathValue("id"), http.StatusSeeOther)
	}
}

func (s *site) move(from, to *[]templates.MemoryRow, w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.actions++
	i := slices.IndexFunc(*from, func(row templates.MemoryRow) bool { return row.ID == r.PathValue("id") })
	if s.refuses || i < 0 {
		w.WriteHeader(http.StatusConflict)
		_ = templates.FailurePage(templates.FailureOf(http.StatusConflict)).Render(r.Context(), w)
		return false
	}
	*to = append(*to, (*from)[i])
	*from = slices.Delete(*from, i, i+1)
	return true
}

// learn adds a memory and sends an event.
func (s *site) learn(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := believableRows()[0]
	row.ID, row.Name = fmt.Sprintf("0198c0de-0000-7000-8000-9%011d", len(s.rows)), name
	s.rows = append([]templates.MemoryRow{row}, s.rows...)
	for follower := range s.followers {
		follower <- name
	}
}

// until waits until holds returns true.
func (s *site) until(t *testing.T, holds func() bool) {
	t.Helper()
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer context.AfterFunc(limited, s.changed.Broadcast)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !holds() {
		if limited.Err() != nil {
			t.Fatal("the site never got there")
		}
		s.changed.Wait()
	}
}

// asked returns the number of requests for the Memory tab.
func (s *site) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

func (s *site) followed() bool   { return len(s.followers) > 0 }
func (s *site) unfollowed() bool { return len(s.followers) == 0 }

func (s *site) set(change func(*site)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
	s.changed.Broadcast()
}

// drop ends every open stream, as a restart of the server does.
func (s *site) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for follower := range s.followers {
		close(follower)
		delete(s.followers, follower)
	}
}

func (s *site) events(w http.ResponseWriter, r *http.Request) {
	follower := make(chan string, 4096)
	s.set(func(s *site) { s.followers[follower] = true })
	defer s.set(func(s *site) { delete(s.followers, follower) })
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	_ = control.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case name, open := <-follower:
			if !open {
				return
			}
			_, _ = fmt.Fprintf(w, "event: changed\ndata: {\"agent\":%q,\"kind\":\"saved\",\"name\":%q}\n\n", slug, name)
			_ = control.Flush()
		}
	}
}
