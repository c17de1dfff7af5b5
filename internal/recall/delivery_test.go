package recall_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/recall"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

// broken is a client's connection that fails.
type broken struct{ *httptest.ResponseRecorder }

func (broken) FlushError() error { return errors.New("connection reset by peer") }

// TestRecordDelivered_Failures shows that a session may receive a memory again that did not reach
// the client, and only then.
func TestRecordDelivered_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends  func(w http.ResponseWriter, cancel func())
		w     http.ResponseWriter
		again bool
	}{
		"written":              {func(w http.ResponseWriter, _ func()) { _, _ = w.Write([]byte("{}")) }, httptest.NewRecorder(), false},
		"the write fails":      {func(w http.ResponseWriter, _ func()) { _, _ = w.Write([]byte("{}")) }, broken{httptest.NewRecorder()}, true},
		"the client left":      {func(_ http.ResponseWriter, cancel func()) { cancel() }, httptest.NewRecorder(), true},
		"the handler panics":   {func(http.ResponseWriter, func()) { panic(http.ErrAbortHandler) }, httptest.NewRecorder(), true},
		"a late call's result": {nil, httptest.NewRecorder(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := memoirtest.Start(t, notes())
			request := recall.Request{Agent: "ada", Query: "when do we deploy", Session: "one", From: recall.FromScript}
			recallIn := func(ctx context.Context) []string {
				result, err := m.Recaller.Recall(ctx, request)
				if err != nil {
					t.Error(err)
				}
				return names(result)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var late context.Context
			handler := recall.RecordDelivered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.ends == nil {
					late = r.Context()
					return
				}
				if got := recallIn(r.Context()); !slices.Equal(got, []string{"deploy on tuesdays"}) {
					t.Errorf("it is given %q", got)
				}
				if got := recallIn(t.Context()); slices.Contains(got, "deploy on tuesdays") {
					t.Error("another recall is given the same before the first is delivered")
				}
				if past := recalls(t, m); slices.ContainsFunc(past, func(r records.PastRecall) bool { return r.DeliveredCount > 0 }) {
					t.Errorf("it is recorded before it is delivered: %+v", past)
				}
				c.ends(w, cancel)
			}))
			func() {
				defer func() { _ = recover() }()
				handler.ServeHTTP(c.w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil))
			}()
			if late != nil {
				recallIn(late)
			}
			got := recallIn(t.Context())
			if again := slices.Contains(got, "deploy on tuesdays"); again != c.again {
				t.Errorf("afterwards it is given %q", got)
			}
		})
	}
}

// TestRecordDelivered_Fetch shows that a prefetched recall stays until it has reached the client.
func TestRecordDelivered_Fetch(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	id, err := m.Recaller.Begin(t.Context(), recall.Request{Agent: "ada", Query: "when do we deploy", From: recall.FromScript})
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(method string, w http.ResponseWriter) (got []string) {
		recall.RecordDelivered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			result, err := m.Recaller.Fetch(r.Context(), "ada", id, false)
			if err != nil {
				t.Error(err)
			}
			got = names(result)
		})).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
		return got
	}
	waittest.For(m, "the recall", func() bool { return len(fetch(http.MethodGet, broken{httptest.NewRecorder()})) == 1 })
	for i, c := range []struct {
		method string
		want   int
	}{{http.MethodHead, 1}, {http.MethodGet, 1}, {http.MethodGet, 0}} {
		if got := fetch(c.method, httptest.NewRecorder()); len(got) != c.want {
			t.Errorf("fetch %d gives %q", i, got)
		}
	}
}
