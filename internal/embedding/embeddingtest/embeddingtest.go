// Package embeddingtest is an embedding endpoint for tests: a local server of /v1/embeddings whose
// vectors are bags of words. It records the requests. Its replies can be late, malformed or errors.
// It uses no network.
package embeddingtest

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// Dimensions is the size of the vectors. Few words share one.
const Dimensions = 384

// Server is an endpoint that runs until the end of its test.
type Server struct {
	URL string // without /v1

	mu       sync.Mutex
	reply    Reply // nil: Words
	means    map[string]string
	requests []Request
}

// Request is one received request.
type Request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
	Key   string   `json:"-"` // of the header Authorization, after "Bearer "
}

// Reply answers one request.
type Reply func(w http.ResponseWriter, r *http.Request, request Request)

// New starts a server that answers with bags of words. It stops at the end of the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		server.CloseClientConnections() // a reply may wait for it
		server.Close()
	})
	s.URL = server.URL
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	request := Request{Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	reply := s.reply
	s.mu.Unlock()
	if reply == nil {
		reply = s.words
	}
	reply(w, r, request)
}

// Set makes reply the answer to each request. Nil means the usual vectors.
func (s *Server) Set(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = reply
}

// Mean makes words equal to others: each key means its value. Words are in lower case.
func (s *Server) Mean(words map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.means = maps.Clone(words)
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Sent returns the texts of all requests so far, in order.
func (s *Server) Sent() (texts []string) {
	for _, r := range s.Requests() {
		texts = append(texts, r.Input...)
	}
	return texts
}

func (s *Server) words(w http.ResponseWriter, _ *http.Request, request Request) {
	vectors := make([][]float64, len(request.Input))
	for i, text := range request.Input {
		vectors[i] = s.vector(text, Dimensions)
	}
	Answer(w, vectors)
}

// Sized returns a Reply with vectors of another size.
func (s *Server) Sized(dimensions int) Reply {
	return func(w http.ResponseWriter, _ *http.Request, request Request) {
		vectors := make([][]float64, len(request.Input))
		for i, text := range request.Input {
			vectors[i] = s.vector(text, dimensions)
		}
		Answer(w, vectors)
	}
}

// Other returns a Reply of another model with vectors of the same size.
func (s *Server) Other() Reply {
	return func(w http.ResponseWriter, _ *http.Request, request Request) {
		vectors := make([][]float64, len(request.Input))
		for i, text := range request.Input {
			vectors[i] = s.vector(text, Dimensions)
			slices.Reverse(vectors[i])
		}
		Answer(w, vectors)
	}
}

// Missing returns a Reply with one vector less than texts.
func (s *Server) Missing() Reply {
	return func(w http.ResponseWriter, _ *http.Request, request Request) {
		vectors := make([][]float64, len(request.Input)-1)
		for i := range vectors {
			vectors[i] = s.vector(request.Input[i], Dimensions)
		}
		Answer(w, vectors)
	}
}

// Status returns a Reply with an error in OpenAI's form. header has names and values in turn.
func Status(status int, message string, header ...string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		writeJSON(w, map[string]any{"error": map[string]any{"message": message}})
	}
}

// Raw returns a Reply with a body.
func Raw(body string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) { _, _ = w.Write([]byte(body)) }
}

// Silent is a Reply that never comes. It ends when the client has left.
func Silent(_ http.ResponseWriter, r *http.Request, _ Request) { <-r.Context().Done() }

// Answer writes vectors in OpenAI's form, the last one first.
func Answer(w http.ResponseWriter, vectors [][]float64) {
	type item struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	data := make([]item, 0, len(vectors))
	for i, v := range slices.Backward(vectors) {
		data = append(data, item{"embedding", i, v})
	}
	writeJSON(w, map[string]any{"object": "list", "data": data, "usage": map[string]any{"prompt_tokens": 10 * len(vectors)}})
}

// TokensPerText is the number of tokens that Answer states for each vector.
const TokensPerText = 10

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may have left
}

// vector returns the bag of words of a text: each word adds 1 to one dimension, and a text without
// words has the first dimension.
func (s *Server) vector(text string, dimensions int) []float64 {
	s.mu.Lock()
	means := s.means
	s.mu.Unlock()
	v := make([]float64, dimensions)
	n := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if meaning, ok := means[word]; ok {
			word = meaning
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(word)) // a hash does not fail
		v[int(h.Sum32())%dimensions]++
		n++
	}
	if n == 0 {
		v[0] = 1
	}
	return v
}
