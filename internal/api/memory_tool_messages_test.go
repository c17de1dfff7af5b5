package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messagesAPI is a fake of the Messages API over HTTP. Its model makes the given turns. Like the
// real API, it refuses malformed conversations.
type messagesAPI struct {
	*testing.T
	url   string
	turns []turn
	beta  string // the expected anthropic-beta header; empty if there must be none
	asked []call // the calls of the last turn
	turn  int    // the number of turns that were made
}

// turn is one message of the model: its calls of the tool.
type turn []call

// call is one use of the tool, with the expected result.
type call struct {
	id      string // set by next
	input   string
	answer  string // the expected first line of the result
	isError bool
}

// modelThat starts a fake Messages API whose model makes these turns and then ends its turn.
func modelThat(t *testing.T, beta string, turns ...turn) *messagesAPI {
	t.Helper()
	m := &messagesAPI{T: t, turns: turns, beta: beta}
	running := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(running.Close)
	m.url = running.URL
	return m
}

// messageRequest is the fields of a request to the Messages API that the test checks.
type messageRequest struct {
	Model     string           `json:"model"`
	MaxTokens int              `json:"max_tokens"`
	Tools     []map[string]any `json:"tools"`
	Messages  []struct {
		Role    string         `json:"role"`
		Content []contentBlock `json:"content"`
	} `json:"messages"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   []contentBlock  `json:"content"`
}

func (m *messagesAPI) serve(w http.ResponseWriter, r *http.Request) {
	var sent messageRequest
	w.Header().Set("Content-Type", "application/json")
	err := json.NewDecoder(r.Body).Decode(&sent)
	if err == nil {
		err = m.check(r, sent)
	}
	if err != nil {
		m.Error(err)
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, err.Error())
		return
	}
	if err := json.NewEncoder(w).Encode(m.next()); err != nil {
		m.Error(err)
	}
}

// check returns an error if a request has a wrong path, header, tool, or sequence of messages.
func (m *messagesAPI) check(r *http.Request, sent messageRequest) error {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/messages":
		return fmt.Errorf("%s %s", r.Method, r.URL.Path)
	case r.Header.Get("X-Api-Key") == "" || r.Header.Get("Anthropic-Version") == "" || r.Header.Get("Anthropic-Beta") != m.beta:
		return fmt.Errorf("headers %v", r.Header)
	case sent.Model == "" || sent.MaxTokens == 0:
		return fmt.Errorf("model %q with %d tokens", sent.Model, sent.MaxTokens)
	case !reflect.DeepEqual(sent.Tools, []map[string]any{{"type": "memory_20250818", "name": "memory"}}):
		return fmt.Errorf("the tools are %v", sent.Tools)
	case len(sent.Messages) != 2*m.turn+1:
		return fmt.Errorf("%d messages after %d turns", len(sent.Messages), m.turn)
	}
	for i, message := range sent.Messages {
		if want := []string{"user", "assistant"}[i%2]; message.Role != want {
			return fmt.Errorf("message %d is the %s's", i, message.Role)
		}
	}
	if m.turn == 0 {
		return nil
	}
	return m.checkResults(sent.Messages[len(sent.Messages)-2].Content, sent.Messages[len(sent.Messages)-1].Content)
}

// checkResults returns an error unless said repeats each call of the last turn, and results has the
// expected result of each.
func (m *messagesAPI) checkResults(said, results []contentBlock) error {
	if len(said) != len(m.asked) || len(results) != len(m.asked) {
		return fmt.Errorf("of %d calls %d are repeated and %d answered", len(m.asked), len(said), len(results))
	}
	for i, asked := range m.asked {
		if block := said[i]; block.Type != "tool_use" || block.ID != asked.id || block.Name != "memory" || !sameJSON(block.Input, asked.input) {
			return fmt.Errorf("the call %s is repeated as %+v", asked.input, block)
		}
		block := results[i]
		if block.Type != "tool_result" || block.ToolUseID != asked.id || len(block.Content) != 1 || block.Content[0].Type != "text" {
			return fmt.Errorf("the call %s is answered by %+v", asked.input, block)
		}
		if line, _, _ := strings.Cut(block.Content[0].Text, "\n"); line != asked.answer || block.IsError != asked.isError {
			return fmt.Errorf("the call %s is answered by %q (error: %t), want %q (error: %t)", asked.input, block.Content[0].Text, block.IsError, asked.answer, asked.isError)
		}
	}
	return nil
}

func sameJSON(a json.RawMessage, b string) bool {
	var is, want any
	return json.Unmarshal(a, &is) == nil && json.Unmarshal([]byte(b), &want) == nil && reflect.DeepEqual(is, want)
}

// next returns the model's next message: the calls of the next turn, or the final text.
func (m *messagesAPI) next() map[string]any {
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", m.turn), "type": "message", "role": "assistant", "model": string(anthropic.ModelClaudeOpus5),
		"stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
	}
	if m.turn == len(m.turns) {
		message["stop_reason"], message["content"] = "end_turn", []any{map[string]any{"type": "text", "text": "I have it noted."}}
		return message
	}
	m.asked = m.turns[m.turn]
	m.turn++
	var content []any
	for i := range m.asked {
		m.asked[i].id = fmt.Sprintf("toolu_%d_%d", m.turn, i)
		content = append(content, map[string]any{"type": "tool_use", "id": m.asked[i].id, "name": "memory", "input": json.RawMessage(m.asked[i].input)})
	}
	message["stop_reason"], message["content"] = "tool_use", content
	return message
}

// isDone fails the test unless the model has made all its turns.
func (m *messagesAPI) isDone() {
	m.Helper()
	if m.turn != len(m.turns) {
		m.Errorf("the conversation ended after %d of %d turns", m.turn, len(m.turns))
	}
}

// client returns a client of the Anthropic SDK for this fake API.
func (m *messagesAPI) client() anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(m.url), option.WithAPIKey("none"), option.WithMaxRetries(0))
}
