package api

import (
	"fmt"
	"io"
	"net/http"
)

// delayStatus is middleware that sends a status only with the first byte of the body, or after the
// handler. A response that cannot be encoded can then still become a problem response.
func delayStatus(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &lateStatus{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		answer.send()
	})
}

// lateStatus is a ResponseWriter that keeps the status until the first Write or send.
type lateStatus struct {
	http.ResponseWriter
	status int // 0 if it is not set yet, or already sent
}

// WriteHeader stores the status without sending it.
func (l *lateStatus) WriteHeader(status int) { l.status = status }

// Write sends the stored status, then part.
func (l *lateStatus) Write(part []byte) (int, error) {
	l.send()
	return l.ResponseWriter.Write(part)
}

// send sends the stored status, if there is one.
func (l *lateStatus) send() {
	if l.status != 0 {
		l.ResponseWriter.WriteHeader(l.status)
		l.status = 0
	}
}

// Unwrap returns the wrapped writer. http.ResponseController needs it for deadlines and flushes.
func (l *lateStatus) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// marshalAnswer encodes v as JSON for huma. If v cannot be encoded and nothing was written, it
// panics, because huma would send its own error text; package gate sends a problem instead. If the
// write failed later, it returns the error.
func marshalAnswer(w io.Writer, v any) error {
	tracked := &trackingWriter{w: w}
	err := marshal(tracked, v)
	if err != nil && !tracked.hasWritten {
		panic(fmt.Errorf("an answer cannot be written: %w", err))
	}
	return err
}

// trackingWriter records whether Write was called.
type trackingWriter struct {
	w          io.Writer
	hasWritten bool
}

// Write sets hasWritten and writes part to the wrapped writer.
func (t *trackingWriter) Write(part []byte) (int, error) {
	t.hasWritten = true
	return t.w.Write(part)
}
