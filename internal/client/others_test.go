package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// otherModels is a stand-in for the Responses API and the Chat Completions API of OpenAI and the
// Gemini API. It answers every prompt with "Done." and keeps the requests.
type otherModels struct {
	url string

	mu       sync.Mutex
	requests []string // bodies
}

func newOtherModels(t testing.TB) *otherModels {
	t.Helper()
	m := &otherModels{}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *otherModels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type object = map[string]any
	var stream struct {
		Stream bool `json:"stream"`
	}
	_ = json.Unmarshal(body, &stream) // the Gemini API has it in the address
	var events []object
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		item := object{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": "Done.", "annotations": []any{}}}}
		events = []object{
			{"type": "response.created", "response": object{"id": "r1"}},
			{"type": "response.output_item.done", "output_index": 0, "item": item},
			{"type": "response.completed", "response": object{"id": "r1", "status": "completed", "output": []object{item}, "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}},
		}
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		choice := object{"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": "Done."}}
		answer := object{"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": []object{choice}, "usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
		if stream.Stream {
			answer["object"] = "chat.completion.chunk"
			choice["delta"] = choice["message"]
		}
		events = []object{answer}
	case strings.Contains(r.URL.Path, "enerateContent"):
		stream.Stream = strings.Contains(r.URL.Path, ":stream")
		part := object{"role": "model", "parts": []object{{"text": "Done."}}}
		events = []object{{"candidates": []object{{"content": part, "finishReason": "STOP", "index": 0}}, "usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}}
	default:
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, string(body))
	m.mu.Unlock()
	if !stream.Stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(events[len(events)-1]) // the client may have ended
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range events {
		text, err := json.Marshal(event)
		if err != nil {
			panic(err) // the values are above
		}
		if name, ok := event["type"]; ok {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// take returns the requests that have arrived since the last call.
func (m *otherModels) take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := strings.Join(m.requests, "\n")
	m.requests = nil
	return all
}

// otherClient is a client that reads a publish target.
type otherClient struct {
	name, lock, npm, program string
	target                   string
	script                   string // of the package, which installs the program; may be empty
	// files are settings in the home directory, and args the arguments for one prompt. {url} is
	// the address of the stand-in.
	files map[string]string
	env   []string
	args  []string
}

var otherClients = []otherClient{
	{
		name: "Codex", lock: "testdata/codex", npm: "@openai/codex", program: "codex", target: "agents",
		files: map[string]string{".codex/config.toml": "model = \"m\"\nmodel_provider = \"fake\"\n\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"{url}/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"},
		env:   []string{"OPENAI_API_KEY=a-key"},
		args:  []string{"exec", "--skip-git-repo-check", "hello"},
	},
	{
		name: "opencode", lock: "testdata/opencode", npm: "opencode-ai", program: "opencode", target: "agents", script: "postinstall.mjs",
		files: map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "model": "fake/m", "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "{url}/v1", "apiKey": "a-key"}, "models": {"m": {"name": "m"}}}}}`},
		args:  []string{"run", "hello"},
	},
	{
		name: "Gemini CLI", lock: "testdata/gemini-cli", npm: "@google/gemini-cli", program: "gemini", target: "gemini",
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}`},
		env:   []string{"GEMINI_API_KEY=a-key", "GOOGLE_GEMINI_BASE_URL={url}", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		args:  []string{"-m", "gemini-2.5-flash", "-p", "hello"},
	},
	{
		name: "Qwen Code", lock: "testdata/qwen-code", npm: "@qwen-code/qwen-code", program: "qwen", target: "agents",
		files: map[string]string{".qwen/settings.json": `{"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": false}}`},
		env:   []string{"OPENAI_API_KEY=a-key", "OPENAI_BASE_URL={url}/v1", "OPENAI_MODEL=m"},
		args:  []string{"-p", "hello"},
	},
}

// TestClient_OtherAgents publishes a memory of a project of Claude Code, and looks for it in the
// requests of other clients. After its deletion it must be absent.
func TestClient_OtherAgents(t *testing.T) {
	t.Parallel()
	for _, client := range otherClients {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			u := newUserWithoutClaude(t)
			var after [][]string
			if client.script != "" {
				after = append(after, []string{"node", filepath.Join("node_modules", client.npm, client.script)})
			}
			path, err := install(client.lock, client.npm, client.program, after...)
			if errors.Is(err, errNoNPM) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			model := newOtherModels(t)
			for name, text := range client.files {
				name = filepath.Join(u.home, name)
				u.mkdir(filepath.Dir(name))
				if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "{url}", model.url)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, variable := range client.env {
				u.variables = append(u.variables, strings.ReplaceAll(variable, "{url}", model.url))
			}
			u.mkdir(filepath.Join(u.project, ".git"))
			const secret = "The kiwi parade begins at noon."
			u.remember(u.project, "kiwi-parade", "when it begins", secret)
			transcript := filepath.Join(filepath.Dir(u.memoryDir(u.project)), "1.jsonl")
			if err := os.WriteFile(transcript, []byte(`{"cwd":"`+u.project+`"}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			u.start()
			slug := u.agent(u.project)
			asks := func() string {
				t.Helper()
				r := u.run(u.project, path, client.args...)
				sent := model.take()
				if r.code != 0 || !strings.Contains(r.out, "Done.") || sent == "" {
					t.Fatalf("%s ends with %d: %s%s", client.program, r.code, r.out, r.errors)
				}
				return sent
			}
			if strings.Contains(asks(), secret) {
				t.Error("the memory is in a request although the agent is not published")
			}
			if r := u.run(u.project, u.memoir, "publish", "to", client.target, "--url", u.url); r.code != 0 {
				t.Fatalf("memoir publish: %s%s", r.out, r.errors)
			}
			if sent := asks(); !strings.Contains(sent, secret) {
				t.Errorf("the memory is in no request: %.3000s", sent)
			}
			u.call("DELETE", "/agents/"+slug+"/memories/"+u.memories(slug)["kiwi-parade.md"].ID, nil, nil)
			if strings.Contains(asks(), secret) {
				t.Error("the deleted memory is in a request")
			}
		})
	}
}
