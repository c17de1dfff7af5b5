package api

import (
	"fmt"
	"io"
	"net/http"
)

// whole sends the status of an answer with its first byte. An answer that turns out not to be writable at all is then a problem like any
// other, and no connection that is cut.
func whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &lateStatus{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		answer.send()
	})
}

// lateStatus keeps the status until there is something to go with it.
type lateStatus struct {
	http.ResponseWriter
	status int // 0: none, or it has been sent
}

func (l *lateStatus) WriteHeader(status int) { l.status = status }

func (l *lateStatus) Write(part []byte) (int, error) {
	l.send()
	return l.ResponseWriter.Write(part)
}

func (l *lateStatus) send() {
	if l.status != 0 {
		l.ResponseWriter.WriteHeader(l.status)
		l.status = 0
	}
}

// Unwrap lets event streams set their deadlines, and send what they have.
func (l *lateStatus) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// marshalAnswer writes an answer for the framework, which would write words of its own where that is not possible. The gate makes a problem
// of the panic.
func marshalAnswer(w io.Writer, v any) error {
	begun := &begunWriter{to: w}
	err := marshal(begun, v)
	if err != nil && !begun.is {
		panic(fmt.Errorf("an answer cannot be written: %w", err))
	}
	return err
}

// begunWriter knows whether anything was written.
type begunWriter struct {
	to io.Writer
	is bool
}

func (b *begunWriter) Write(part []byte) (int, error) {
	b.is = true
	return b.to.Write(part)
}
