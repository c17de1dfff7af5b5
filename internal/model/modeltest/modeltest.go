// Package modeltest is a language model for tests: a server on this machine that speaks the Messages API, says what a script tells it to,
// and keeps what it was asked. It answers as badly as the real one can: late, with prose, with errors, cut off. Nothing here reaches out.
package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/model"
)

// Key is the API key that the server wants to be shown.
const Key = "a key"

// The tokens that an answer of the script says it took.
const (
	InputTokens  = 10
	OutputTokens = 5
)

// Server is one model, which listens until its test ends.
type Server struct {
	// URL is where the API is, as ANTHROPIC_BASE_URL has it.
	URL string

	t      testing.TB
	mu     sync.Mutex
	answer func(Request) Reply
	asked  []Request
}

// Request is one question that came in.
type Request struct {
	Model     string
	MaxTokens int
	System    string
	Text      string          // of all messages
	Schema    json.RawMessage // of the answer that is asked for; nil: none
	Raw       string          // the whole body
}

// Reply answers one request.
type Reply func(w http.ResponseWriter, r *http.Request)

// New starts a model that gives the replies one after the other, and the last of them for ever after.
func New(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	if len(replies) == 0 {
		t.Fatal("a model without a reply")
	}
	var mu sync.Mutex
	next := 0
	return Answering(t, func(Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		reply := replies[next]
		next = min(next+1, len(replies)-1)
		return reply
	})
}

// Answering starts a model whose replies depend on what it is asked. answer may be called by several requests at once.
func Answering(t testing.TB, answer func(Request) Reply) *Server {
	t.Helper()
	s := &Server{t: t, answer: answer}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		server.CloseClientConnections() // a reply may wait for just that
		server.Close()
	})
	s.URL = server.URL
	return s
}

// Model asks this server.
func (s *Server) Model() model.Model { return model.Anthropic("", Key, s.URL) }

// Requests are the questions until now, in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller has gone
	}
	asked, ok := read(raw)
	if !ok || r.Method != http.MethodPost || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != Key || r.Header.Get("Anthropic-Version") == "" {
		s.t.Errorf("the model was asked %s %s %.500s", r.Method, r.URL, raw)
		Status(http.StatusBadRequest)(w, r)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	s.mu.Unlock()
	s.answer(asked)(w, r)
}

// read takes a request apart. It is false where that is none of the Messages API.
func read(raw []byte) (Request, bool) {
	var body struct {
		Model     string  `json:"model"`
		MaxTokens int     `json:"max_tokens"`
		System    []block `json:"system"`
		Messages  []struct {
			Content []block `json:"content"`
		} `json:"messages"`
		OutputConfig struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if json.Unmarshal(raw, &body) != nil || body.Model == "" || body.MaxTokens <= 0 || len(body.Messages) == 0 {
		return Request{}, false
	}
	var texts []block
	for _, message := range body.Messages {
		texts = append(texts, message.Content...)
	}
	return Request{body.Model, body.MaxTokens, joined(body.System), joined(texts), body.OutputConfig.Format.Schema, string(raw)}, true
}

type block struct {
	Text string `json:"text"`
}

func joined(blocks []block) string {
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}

// Says answers with a text: JSON that was asked for, JSON of another shape, prose, or whatever a hostile transcript has had it say.
func Says(text string) Reply { return ending(text, "end_turn") }

// SaysJSON answers with a value as JSON.
func SaysJSON(value any) Reply {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return Says(string(text))
}

// Refuses declines to answer, as the model does, not the API.
func Refuses() Reply { return ending("", "refusal") }

// TooLong stops in the middle of a text because it may not say more.
func TooLong(text string) Reply { return ending(text, "max_tokens") }

func ending(text, reason string) Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": model.Default, "stop_reason": reason,
			"content": []any{map[string]any{"type": "text", "text": text}},
			"usage":   map[string]any{"input_tokens": InputTokens, "output_tokens": OutputTokens},
		})
	}
}

// Secret is in the text of every error, and may be seen by nobody but the log.
const Secret = "a secret of the server"

// Status answers with an error of the API: 401, 429, 529 and the like.
func Status(status int) Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": "api_error", "message": Secret}})
	}
}

// Complains refuses a request with a status and these words.
func Complains(status int, words string) Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": words}})
	}
}

// Unstructured is a gateway that refuses structured output, and otherwise gives the reply.
func Unstructured(reply Reply) func(Request) Reply {
	return func(r Request) Reply {
		if r.Schema != nil {
			return Complains(http.StatusBadRequest, "output_config: Extra inputs are not permitted")
		}
		return reply
	}
}

// RetryAfter is a 429 that says when to come again, in whole seconds.
func RetryAfter(wait time.Duration) Reply {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
		Status(http.StatusTooManyRequests)(w, r)
	}
}

// Page answers with a page for people, as a proxy on the way does.
func Page() Reply {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }
}

// Cut begins an answer and closes the connection in the middle of it.
func Cut() Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"id":"msg_1"`)
		panic(http.ErrAbortHandler)
	}
}

// Gone closes the connection without a word.
func Gone() Reply { return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } }

// Never says nothing until whoever asked gives up.
func Never() Reply { return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } }

// When gives a reply once the channel is closed, so that a test says how slow a model is without looking at a clock.
func When(open <-chan struct{}, reply Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-open:
			reply(w, r)
		case <-r.Context().Done():
		}
	}
}
