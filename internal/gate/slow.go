package gate

import (
	"io"
	"net/http"
	"time"
)

// limitPace returns a handler that calls next and aborts slow clients. A request's body must arrive
// within Limits.Body. A response may take up to Limits.Answer from its first byte, and the client must
// accept each pieceSize bytes within Limits.Stall. The time before the first byte has no limit, because
// an import may take hours. A handler that sets its own write deadline turns the limits of the response
// off.
func (g *Gate) limitPace(next http.Handler) http.Handler {
	limits := g.options.Limits
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		answer := &pacedWriter{ResponseWriter: w, control: control, stall: limits.Stall, whole: limits.Answer}
		if r.Body != nil && r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(limits.Body)) // a test's recorder has no deadlines
			answer.body = &timedBody{ReadCloser: r.Body, control: control}
			r.Body = answer.body
		}
		next.ServeHTTP(answer, r)
		answer.limitUnread()
		_ = control.SetWriteDeadline(time.Now().Add(limits.Stall)) // for the buffered rest
	})
}

// timedBody is a request body with a deadline.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	whole   bool // it was read to the end
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// A deadline that passes during the handler would cancel the request.
		_ = b.control.SetReadDeadline(time.Time{})
		b.whole = true
	}
	return n, err
}

const (
	// pieceSize is how much of a response a client must accept within Limits.Stall, in bytes
	// (arbitrary).
	pieceSize = 128 << 10
	// deadlineInterval is the minimum time between two changes of the deadline, so that many small
	// writes are cheap.
	deadlineInterval = time.Second
)

// pacedWriter aborts a response if the client accepts no data.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	body    *timedBody // nil without a body, or after the response has begun
	stall   time.Duration
	whole   time.Duration // from the first byte
	last    time.Time     // end of the whole response; zero before the first byte
	set     time.Time     // when the deadline was last set
	own     bool          // the handler sets its own deadlines
}

func (w *pacedWriter) Write(p []byte) (written int, err error) {
	for first := true; first || len(p) > 0 && err == nil; first = false {
		piece := p[:min(len(p), pieceSize)]
		w.extend()
		var n int
		n, err = w.ResponseWriter.Write(piece)
		written, p = written+n, p[len(piece):]
	}
	return written, err
}

// limitUnread sets the read deadline to half of Limits.Stall from now, if the handler has not read
// the whole body. The server reads the rest before it sends the response. Later calls do nothing.
func (w *pacedWriter) limitUnread() {
	if w.body != nil && !w.body.whole {
		_ = w.control.SetReadDeadline(time.Now().Add(w.stall / 2))
	}
	w.body = nil
}

func (w *pacedWriter) WriteHeader(status int) {
	w.limitUnread()
	w.ResponseWriter.WriteHeader(status)
}

// extend moves the write deadline to Limits.Stall from now, but not beyond Limits.Answer after the
// first call. It leaves the deadline alone if it was just moved, or if the handler sets its own. It also
// calls limitUnread.
func (w *pacedWriter) extend() {
	w.limitUnread()
	now := time.Now()
	if w.own || now.Sub(w.set) < min(deadlineInterval, w.stall/2) {
		return
	}
	w.set = now
	if w.last.IsZero() {
		w.last = now.Add(w.whole)
	}
	until := now.Add(w.stall)
	if w.last.Before(until) {
		until = w.last
	}
	_ = w.control.SetWriteDeadline(until) // a test's recorder has no deadlines
}

// SetWriteDeadline sets the write deadline and turns the automatic write deadlines off for this
// response. Handlers with an endless response call it.
func (w *pacedWriter) SetWriteDeadline(deadline time.Time) error {
	w.own = true
	return w.control.SetWriteDeadline(deadline)
}

func (w *pacedWriter) Flush() {
	w.extend()
	_ = w.control.Flush() // the client may have disconnected
}

// FlushError extends the write deadline and flushes. It returns the error of the flush, and so
// http.ResponseController prefers it to Flush.
func (w *pacedWriter) FlushError() error {
	w.extend()
	return w.control.Flush()
}

func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
