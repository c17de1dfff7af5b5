package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// workingDay returns the turns of a model that uses each command of the memory tool, with some
// mistakes.
func workingDay() []turn {
	return []turn{
		{{input: `{"command":"view","path":"/memories"}`, answer: "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:"}},
		{{input: `{"command":"view","path":"/memories/old.md"}`, answer: "Here's the content of /memories/old.md with line numbers:"}},
		{
			{input: `{"command":"create","path":"/memories/tabs.md","file_text":"---\nname: Tabs\ndescription: How to indent\ntype: feedback\n---\n\nUse tabs.\n"}`, answer: "File created successfully at: /memories/tabs.md"},
			{input: `{"command":"create","path":"/memories/old.md","file_text":"x"}`, answer: "Error: File /memories/old.md already exists", isError: true},
			{input: `{"command":"view","path":"/memories/../CLAUDE.md"}`, answer: "The path /memories/../CLAUDE.md does not exist. Please provide a valid path.", isError: true},
		},
		{{input: `{"command":"str_replace","path":"/memories/tabs.md","old_str":"Use spaces.","new_str":"x"}`, answer: "No replacement was performed, old_str `Use spaces.` did not appear verbatim in /memories/tabs.md.", isError: true}},
		{{input: `{"command":"str_replace","path":"/memories/tabs.md","old_str":"Use tabs.","new_str":"Use tabs in Go."}`, answer: "The memory file has been edited."}},
		{{input: `{"command":"insert","path":"/memories/tabs.md","insert_line":7,"insert_text":"**Why:** gofmt.\n"}`, answer: "The file /memories/tabs.md has been edited."}},
		{{input: `{"command":"view","path":"/memories/tabs.md","view_range":[7,8]}`, answer: "Here's the content of /memories/tabs.md with line numbers:"}},
		{{input: `{"command":"rename","old_path":"/memories/tabs.md","new_path":"/memories/style/indent.md"}`, answer: "Successfully renamed /memories/tabs.md to /memories/style/indent.md"}},
		{{input: `{"command":"delete","path":"/memories/old.md"}`, answer: "Successfully deleted /memories/old.md"}},
	}
}

func beforeWork(t *testing.T) *server {
	t.Helper()
	return setup(t, memoirtest.Files{"ada/memory/old.md": memoirtest.Note("Old", memories.Project, "Not true any more.")})
}

// hasWorked checks the memories and CLAUDE.md after the turns of workingDay.
func (s *server) hasWorked() {
	s.Helper()
	if m := s.Memory("ada", "Tabs"); m.Body != "Use tabs in Go.\n**Why:** gofmt." || m.Path != "memory/style/indent.md" || m.Type != memories.Feedback {
		s.Errorf("the memory is %+v", m)
	}
	if m := s.Memory("ada", "Old"); m.State != memories.Deleted {
		s.Errorf("what was deleted is %s", m.State)
	}
	if text := s.Read("ada/CLAUDE.md"); !strings.Contains(text, "### Tabs\n\nUse tabs in Go.\n**Why:** gofmt.\n") || strings.Contains(text, "Not true any more.") {
		s.Errorf("CLAUDE.md says %s", text)
	}
}

func TestMemoryTool_ConversationOfSDK(t *testing.T) {
	t.Parallel()
	s, model := beforeWork(t), modelThat(t, "", workingDay()...)
	client := model.client()
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Tidy up your memory."))}
	for {
		message, err := client.Messages.New(t.Context(), anthropic.MessageNewParams{
			Model: anthropic.ModelClaudeOpus5, MaxTokens: 1024, Messages: messages,
			Tools: []anthropic.ToolUnionParam{{OfMemoryTool20250818: &anthropic.MemoryTool20250818Param{}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, message.ToParam())
		var results []anthropic.ContentBlockParamUnion
		for _, block := range message.Content {
			if use, isUse := block.AsAny().(anthropic.ToolUseBlock); isUse {
				result := s.ok(200, "POST", adaTool, string(use.Input))
				results = append(results, anthropic.NewToolResultBlock(use.ID, result.string("content"), result["is_error"] == true))
			}
		}
		if len(results) == 0 {
			break
		}
		messages = append(messages, anthropic.NewUserMessage(results...))
	}
	model.isDone()
	s.hasWorked()
}

// remoteMemory is the memory tool for the SDK's tool runner. It sends each command to Memoir.
type remoteMemory struct{ *server }

func (remoteMemory) Name() string                                           { return "memory" }
func (remoteMemory) Description() string                                    { return "" }
func (remoteMemory) InputSchema() (none anthropic.BetaToolInputSchemaParam) { return none }

func (m remoteMemory) Execute(_ context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	var command anthropic.BetaMemoryTool20250818CommandUnion
	if err := json.Unmarshal(input, &command); err != nil || command.AsAny() == nil {
		m.Errorf("the SDK knows no such command: %s, %v", input, err)
	}
	result := m.ok(200, "POST", adaTool, string(input))
	if result["is_error"] == true {
		return nil, errors.New(result.string("content"))
	}
	return []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: result.string("content")}}}, nil
}

func TestMemoryTool_ToolRunnerOfSDK(t *testing.T) {
	t.Parallel()
	day := workingDay()
	for _, calls := range day {
		for i := range calls {
			if calls[i].isError { // the runner adds this prefix to the errors of tools
				calls[i].answer = "Error: " + calls[i].answer
			}
		}
	}
	s, model := beforeWork(t), modelThat(t, string(anthropic.AnthropicBetaContextManagement2025_06_27), day...)
	client := model.client()
	runner := client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{remoteMemory{s}}, anthropic.BetaToolRunnerParams{
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model: anthropic.ModelClaudeOpus5, MaxTokens: 1024,
			Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Tidy up your memory."))},
			Betas:    []anthropic.AnthropicBeta{anthropic.AnthropicBetaContextManagement2025_06_27},
		},
		MaxIterations: 2 * len(day),
	})
	// The runner would send remoteMemory as a custom tool, not as the built-in memory tool.
	runner.Params.Tools = []anthropic.BetaToolUnionParam{{OfMemoryTool20250818: &anthropic.BetaMemoryTool20250818Param{}}}
	if _, err := runner.RunToCompletion(t.Context()); err != nil {
		t.Fatal(err)
	}
	model.isDone()
	s.hasWorked()
}
