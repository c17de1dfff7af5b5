package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// messagesAPI is a stand-in for the Messages API that answers by script and keeps the requests. It
// stops at the end of the test.
type messagesAPI struct {
	testing.TB
	url string

	mu       sync.Mutex
	scripts  map[string][]step // by a text of the prompt
	output   any               // the answer to requests for structured output
	requests []request
}

// step is one answer of the model: a text, or the call of a tool if tool is not empty.
type step struct {
	text  string
	tool  string
	input map[string]any
	// after delays the answer until it returns true, for at most maxDelay. It may be nil.
	after func() bool
}

// maxDelay is the longest delay of an answer. Arbitrary; then the test goes on and fails.
const maxDelay = 10 * time.Second

// request is one request for a message.
type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	System   content   `json:"system"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
	key string // the credential that came with it
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is the text of a message: of all its blocks, and of the results of tools.
type content string

// UnmarshalJSON reads a text, or a list of blocks.
func (c *content) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = content(text)
		return nil
	}
	var blocks []struct {
		Text    string  `json:"text"`
		Content content `json:"content"`
	}
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return err
	}
	for _, block := range blocks {
		*c += content(block.Text) + block.Content + "\n"
	}
	return nil
}

// text returns everything that the model would read, except the definitions of tools.
func (r request) text() string {
	all := string(r.System)
	for _, m := range r.Messages {
		all += "\n" + string(m.Content)
	}
	return all
}

// hookContext returns the text of the messages of the system, where the client puts the context of
// hooks.
func (r request) hookContext() string {
	var all string
	for _, m := range r.Messages {
		if m.Role == "system" {
			all += string(m.Content) + "\n"
		}
	}
	return all
}

// loaded returns the text of the user's messages. It includes the index and other files that the
// client loads, and the results of tools, but no context of hooks.
func (r request) loaded() string {
	var all string
	for _, m := range r.Messages {
		if m.Role == "user" {
			all += string(m.Content) + "\n"
		}
	}
	return all
}

// hasTool reports whether the model may call the tool.
func (r request) hasTool(name string) bool {
	for _, tool := range r.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

// newMessagesAPI starts a stand-in that answers each prompt with "Done.".
func newMessagesAPI(t testing.TB) *messagesAPI {
	t.Helper()
	api := &messagesAPI{TB: t, scripts: map[string][]step{}}
	server := httptest.NewServer(http.HandlerFunc(api.serve))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	api.url = server.URL
	return api
}

// script sets the answers to the prompts that contain prompt: the first step, then one after each
// result of a tool.
func (api *messagesAPI) script(prompt string, steps ...step) {
	api.mu.Lock()
	defer api.mu.Unlock()
	api.scripts[prompt] = steps
}

// structured sets the answer to requests for structured output.
func (api *messagesAPI) structured(output any) {
	api.mu.Lock()
	defer api.mu.Unlock()
	api.output = output
}

// about returns the requests whose last prompt contains prompt, in the order of their arrival.
func (api *messagesAPI) about(prompt string) []request {
	api.mu.Lock()
	defer api.mu.Unlock()
	var found []request
	for _, r := range api.requests {
		if at := r.promptAt(prompt); at >= 0 {
			found = append(found, r)
		}
	}
	return found
}

// structuredRequests returns the requests for structured output, in the order of their arrival.
func (api *messagesAPI) structuredRequests() []request {
	api.mu.Lock()
	defer api.mu.Unlock()
	var found []request
	for _, r := range api.requests {
		if r.hasTool("StructuredOutput") {
			found = append(found, r)
		}
	}
	return found
}

// promptAt returns the index of the last message of the user that contains prompt, or -1.
func (r request) promptAt(prompt string) int {
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == "user" && strings.Contains(string(m.Content), prompt) {
			return i
		}
	}
	return -1
}

// next returns the answer to a request: the step of its prompt's script after as many as the
// conversation has answers since.
func (api *messagesAPI) next(r request) step {
	if r.hasTool("StructuredOutput") {
		done := slices.ContainsFunc(r.Messages, func(m message) bool { return m.Role == "assistant" })
		if input, ok := api.output.(map[string]any); ok && !done {
			return step{tool: "StructuredOutput", input: input}
		}
		return step{text: "Done."}
	}
	latest, steps := -1, []step(nil)
	for prompt, scripted := range api.scripts {
		if at := r.promptAt(prompt); at > latest {
			latest, steps = at, scripted
		}
	}
	answers := 0
	for _, m := range r.Messages[latest+1:] {
		if m.Role == "assistant" {
			answers++
		}
	}
	if answers < len(steps) {
		return steps[answers]
	}
	return step{text: "Done."}
}

func (api *messagesAPI) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch {
	case r.Method == http.MethodHead && r.URL.Path == "/":
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		writeJSON(w, map[string]any{"data": []any{}, "has_more": false})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages/count_tokens":
		writeJSON(w, map[string]any{"input_tokens": len(raw) / 4})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		api.answer(w, r, raw)
	default:
		http.NotFound(w, r)
	}
}

// answer records a request for a message and answers it, as a stream if it asks for one.
func (api *messagesAPI) answer(w http.ResponseWriter, r *http.Request, raw []byte) {
	asked := request{key: r.Header.Get("X-Api-Key") + r.Header.Get("Authorization")}
	if err := json.Unmarshal(raw, &asked); err != nil {
		api.Errorf("the client asked %.500s: %v", raw, err)
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	api.mu.Lock()
	api.requests = append(api.requests, asked)
	number, s := len(api.requests), api.next(asked)
	api.mu.Unlock()
	for begun := time.Now(); s.after != nil && !s.after() && time.Since(begun) < maxDelay; {
		time.Sleep(10 * time.Millisecond)
	}
	block, stop := map[string]any{"type": "text", "text": s.text}, "end_turn"
	if s.tool != "" {
		block, stop = map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", number), "name": s.tool, "input": s.input}, "tool_use"
	}
	whole := map[string]any{
		"id": fmt.Sprintf("msg_%d", number), "type": "message", "role": "assistant", "model": asked.Model, "content": []any{block},
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5},
	}
	if asked.Stream {
		stream(w, whole, block, s)
		return
	}
	writeJSON(w, whole)
}

// stream writes a message with one block as server-sent events.
func stream(w http.ResponseWriter, whole, block map[string]any, s step) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, event map[string]any) {
		event["type"] = kind
		raw, err := json.Marshal(event)
		if err == nil {
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, raw)
		}
	}
	delta := map[string]any{"type": "text_delta", "text": s.text}
	empty := map[string]any{"type": "text", "text": ""}
	if s.tool != "" {
		input, err := json.Marshal(s.input)
		if err != nil {
			panic(err) // a script has only values of JSON
		}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		empty = map[string]any{"type": "tool_use", "id": block["id"], "name": s.tool, "input": map[string]any{}}
	}
	stop := map[string]any{"stop_reason": whole["stop_reason"], "stop_sequence": nil}
	whole["content"], whole["stop_reason"] = []any{}, nil
	send("message_start", map[string]any{"message": whole})
	send("content_block_start", map[string]any{"index": 0, "content_block": empty})
	send("content_block_delta", map[string]any{"index": 0, "delta": delta})
	send("content_block_stop", map[string]any{"index": 0})
	send("message_delta", map[string]any{"delta": stop, "usage": map[string]any{"output_tokens": 5}})
	send("message_stop", map[string]any{})
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may have gone
}
