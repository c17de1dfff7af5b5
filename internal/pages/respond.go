package pages

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/a-h/templ"
)

// A handler answers a request or returns an error, which fail then shows.
type handler func(http.ResponseWriter, *http.Request) error

// defaultDatabaseTime is far longer than the slowest page takes (arbitrary).
const defaultDatabaseTime = 15 * time.Second

// maxForm is the maximum size of an action's form, in bytes. Such a form has a few short fields.
const maxForm = 64 << 10

// maxWriting is the maximum size of a form with a memory, in bytes. A body of 1 MiB can take three
// times as much when URL-encoded.
const maxWriting = 4 << 20

// page wraps a handler that only reads. Its context ends after Options.DatabaseTime.
func (s *site) page(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limited, cancel := context.WithTimeout(r.Context(), s.options.DatabaseTime)
		defer cancel()
		if err := handle(w, r.WithContext(limited)); err != nil {
			s.fail(w, r, err)
		}
	}
}

// action wraps a handler that changes something. The handler continues if the client disconnects.
func (s *site) action(handle handler) http.HandlerFunc { return s.submitted(maxForm, handle) }

// writing is action for a form that contains a whole memory.
func (s *site) writing(handle handler) http.HandlerFunc { return s.submitted(maxWriting, handle) }

func (s *site) submitted(longest int64, handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, longest)
		if err := r.ParseForm(); err != nil {
			s.fail(w, r, unreadable(err))
			return
		}
		// The handler may still run after a database timeout, so it must not write to w.
		answer := reply{header: http.Header{}}
		err := s.store.Attend(r.Context(), s.options.DatabaseTime, func(ctx context.Context) error { return handle(&answer, r.WithContext(ctx)) })
		if err != nil {
			s.fail(w, r, err)
			return
		}
		answer.send(w)
	}
}

// reply is a buffered response.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *reply) Header() http.Header         { return a.header }
func (a *reply) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *reply) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *reply) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(a.body.Bytes()) // the client may be gone
}

// show renders page completely, then sends it with the status. If rendering fails, it sends
// nothing.
func show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var body bytes.Buffer
	if err := page.Render(forReader(r), &body); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client may be gone
	return nil
}
