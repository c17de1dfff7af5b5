package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// delayStatus returns a handler that calls next, and sends the status only with the first byte of
// the body, or when next returns. A response that cannot be encoded can then still become a problem
// response.
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

func (l *lateStatus) WriteHeader(status int) { l.status = status }

func (l *lateStatus) Write(part []byte) (int, error) {
	l.send()
	return l.ResponseWriter.Write(part)
}

// send sends the status that WriteHeader has stored, once. If no status is stored, it does nothing.
func (l *lateStatus) send() {
	if l.status != 0 {
		l.ResponseWriter.WriteHeader(l.status)
		l.status = 0
	}
}

func (l *lateStatus) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// marshalAnswer writes v to w as JSON for huma, and returns the error of w. If v cannot be encoded,
// it writes nothing and panics, because huma would send its own error text; package gate sends a
// problem instead.
func marshalAnswer(w io.Writer, v any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Errorf("an answer cannot be written: %w", err))
	}
	_, err := w.Write(body.Bytes())
	return err
}
