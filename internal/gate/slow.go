package gate

import (
	"io"
	"net/http"
	"time"
)

// paced keeps clients that send or take too slowly from holding what a request holds. A body has to arrive whole within its
// time, read or not; an answer may take long, but not without the client taking some of it.
func (g *Gate) paced(next http.Handler) http.Handler {
	limits := g.options.Limits
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		answer := &takenAnswer{ResponseWriter: w, control: control, stall: limits.Stall, last: time.Now().Add(limits.Answer)}
		if r.Body != nil && r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(limits.Body)) // a test's recorder has no deadlines
			answer.asked = &timedBody{ReadCloser: r.Body, control: control}
			r.Body = answer.asked
		}
		next.ServeHTTP(answer, r)
		answer.begin()
		_ = control.SetWriteDeadline(time.Now().Add(limits.Stall)) // for what the server still holds of the answer
	})
}

// timedBody is a body with a deadline.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	whole   bool // it was read to its end
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// Lifted at once: a deadline that passes while the request is worked on would cancel it.
		_ = b.control.SetReadDeadline(time.Time{})
		b.whole = true
	}
	return n, err
}

const (
	// takenPiece is how much of an answer a client has to take within the time for it, in bytes.
	takenPiece = 128 << 10
	// takenGap is how exact that time is, so that an answer of many small writes does not set a deadline for each.
	takenGap = time.Second
)

// takenAnswer breaks off an answer of which the client takes nothing.
type takenAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
	asked   *timedBody // nil: the request has no body, or its answer has begun
	stall   time.Duration
	last    time.Time // when the answer has to be over
	set     time.Time // when the deadline was last moved
	own     bool      // the handler looks after its deadlines itself
}

func (w *takenAnswer) Write(p []byte) (written int, err error) {
	for first := true; first || len(p) > 0 && err == nil; first = false {
		piece := p[:min(len(p), takenPiece)]
		w.goOn()
		var n int
		n, err = w.ResponseWriter.Write(piece)
		written, p = written+n, p[len(piece):]
	}
	return written, err
}

// begin leaves a body that nobody has read little time: the server reads what is left of it before it sends the answer.
func (w *takenAnswer) begin() {
	if w.asked != nil && !w.asked.whole {
		_ = w.control.SetReadDeadline(time.Now().Add(w.stall / 2))
	}
	w.asked = nil
}

func (w *takenAnswer) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

// goOn moves the deadline.
func (w *takenAnswer) goOn() {
	w.begin()
	now := time.Now()
	if w.own || now.Sub(w.set) < min(takenGap, w.stall/2) {
		return
	}
	w.set = now
	until := now.Add(w.stall)
	if w.last.Before(until) {
		until = w.last
	}
	_ = w.control.SetWriteDeadline(until) // a test's recorder has no deadlines
}

// SetWriteDeadline is for a handler whose answer does not end by itself.
func (w *takenAnswer) SetWriteDeadline(deadline time.Time) error {
	w.own = true
	return w.control.SetWriteDeadline(deadline)
}

func (w *takenAnswer) Flush() {
	w.goOn()
	_ = w.control.Flush() // the client may be gone
}

// FlushError is what a handler that has to know asks for.
func (w *takenAnswer) FlushError() error {
	w.goOn()
	return w.control.Flush()
}

func (w *takenAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
