package pages

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
)

// A handler answers a request or returns why it could not.
type handler func(http.ResponseWriter, *http.Request) error

// defaultDatabaseTime is far above what the largest page takes, and below what people wait.
const defaultDatabaseTime = 15 * time.Second

// maxForm is the longest form that is read, in bytes: an action has a few short fields.
const maxForm = 64 << 10

// maxWriting is the longest form with a memory in it that is read, in bytes: a body of 1 MiB in which every byte takes
// three to send, and the other fields.
const maxWriting = 4 << 20

// page serves a handler that only reads.
func (s *site) page(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limited, cancel := context.WithTimeout(r.Context(), s.options.DatabaseTime)
		defer cancel()
		if err := handle(w, r.WithContext(limited)); err != nil {
			s.fail(w, r, err)
		}
	}
}

// action serves a handler that changes something. It is finished even when the browser goes away meanwhile.
func (s *site) action(handle handler) http.HandlerFunc { return s.submitted(maxForm, handle) }

// writing serves a handler that takes a whole memory, as action does.
func (s *site) writing(handle handler) http.HandlerFunc { return s.submitted(maxWriting, handle) }

func (s *site) submitted(longest int64, handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, longest)
		if err := r.ParseForm(); err != nil {
			s.fail(w, r, unreadable(err))
			return
		}
		if err := s.databaseAnswers(r.Context()); err != nil {
			s.fail(w, r, err)
			return
		}
		if err := handle(w, r.WithContext(context.WithoutCancel(r.Context()))); err != nil {
			s.fail(w, r, err)
		}
	}
}

// databaseAnswers is asked before an action, which goes on for however long it takes once it has begun.
func (s *site) databaseAnswers(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, s.options.DatabaseTime)
	defer cancel()
	return s.store.Ping(limited)
}

// show answers with a page. It is rendered as a whole first, so that one that cannot be is never half sent.
func show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var body bytes.Buffer
	if err := page.Render(forReader(r), &body); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the browser may be gone
	return nil
}
