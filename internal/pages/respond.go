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
		// Nobody may be left to answer to when a change ends for which Postgres has been silent too long.
		answer := reply{header: http.Header{}}
		err := s.store.Attend(r.Context(), s.options.DatabaseTime, func(ctx context.Context) error { return handle(&answer, r.WithContext(ctx)) })
		if err != nil {
			s.fail(w, r, err)
			return
		}
		answer.send(w)
	}
}

// reply is an answer that is sent as a whole.
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
	_, _ = w.Write(a.body.Bytes()) // the browser may be gone
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
