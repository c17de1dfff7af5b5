// Package modeltest is a language model for tests: a local server of the Messages API with scripted
// replies. It records the questions. Its replies can be late, malformed, errors or incomplete. It
// uses no network.
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

// Key is the API key that the server expects.
const Key = "a key"

// The token counts in the server's answers.
const (
	InputTokens  = 10
	OutputTokens = 5
)

// Server is a model that runs until the end of its test.
type Server struct {
	// URL is the API's address, as in ANTHROPIC_BASE_URL.
	URL string

	t      testing.TB
	mu     sync.Mutex
	answer func(Request) Reply
	asked  []Request
}

// Request is one received question.
type Request struct {
	Model     string
	MaxTokens int
	System    string
	Text      string          // of all messages
	Schema    json.RawMessage // of the answer; nil without structured output
	Raw       string          // the body
}

// Reply answers one request.
type Reply func(w http.ResponseWriter, r *http.Request)

// New starts a server that answers questions with the replies in order, and then repeats the last
// one. It stops at the end of the test. Without replies it ends the test.
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

// Answering starts a server that answers each question with the reply that answer returns for it.
// It stops at the end of the test. answer must be safe for concurrent use.
func Answering(t testing.TB, answer func(Request) Reply) *Server {
	t.Helper()
	s := &Server{t: t, answer: answer}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		server.CloseClientConnections() // a reply may wait for it
		server.Close()
	})
	s.URL = server.URL
	return s
}

// Model returns a model.Model that asks this server with Key.
func (s *Server) Model() model.Model {
	return model.Anthropic(model.Default, model.Endpoint{Key: Key, URL: s.URL})
}

// Requests returns a copy of the valid questions so far, in the order of their arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// serve records a question and writes its reply. If the request is not a valid question with Key,
// it marks the test as failed, records nothing, and replies with status 400.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
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

// read parses the body of a request. It returns false if the body is no valid question.
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

// Says returns a Reply with a complete answer that has this text, JSON or not.
func Says(text string) Reply { return ending(text, "end_turn") }

// SaysJSON returns a Reply with a complete answer that is value as JSON. It panics if value cannot
// be encoded.
func SaysJSON(value any) Reply {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return Says(string(text))
}

// Refuses returns a Reply with an empty answer that the model ended as a refusal.
func Refuses() Reply { return ending("", "refusal") }

// TooLong returns a Reply with an answer that has this text and was cut at the maximum length.
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

// Secret is in the text of every API error. Only the log may contain it.
const Secret = "a secret of the server"

// Status returns a Reply with an API error of this status, such as 401, 429 or 529. Its message is
// Secret.
func Status(status int) Reply { return apiError(status, "api_error", Secret) }

// Complains returns a Reply with an API error of this status and message, of type
// invalid_request_error.
func Complains(status int, message string) Reply {
	return apiError(status, "invalid_request_error", message)
}

func apiError(status int, kind, message string) Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
	}
}

// Unstructured returns a function for Answering. It refuses questions with a schema with status
// 400, and answers others with reply.
func Unstructured(reply Reply) func(Request) Reply {
	return func(r Request) Reply {
		if r.Schema != nil {
			return Complains(http.StatusBadRequest, "output_config: Extra inputs are not permitted")
		}
		return reply
	}
}

// RetryAfter returns a Reply with status 429 and the header Retry-After, in whole seconds rounded
// down.
func RetryAfter(wait time.Duration) Reply {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
		Status(http.StatusTooManyRequests)(w, r)
	}
}

// Page returns a Reply with status 200 and HTML in place of JSON.
func Page() Reply {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }
}

// Cut returns a Reply that sends the start of an answer and closes the connection.
func Cut() Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"id":"msg_1"`)
		panic(http.ErrAbortHandler)
	}
}

// Gone returns a Reply that closes the connection without an answer.
func Gone() Reply { return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) } }

// Never returns a Reply that sends nothing and waits until the client closes the connection.
func Never() Reply { return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } }

// When returns a Reply that waits until open is closed and then gives reply. If the client closes
// the connection before, it gives nothing.
func When(open <-chan struct{}, reply Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-open:
			reply(w, r)
		case <-r.Context().Done():
		}
	}
}
