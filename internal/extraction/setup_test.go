package extraction_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/extraction"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/model/modeltest"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bench is a Memoir with the hive agent ada, a directory of Claude Code, and an extractor.
type bench struct {
	*memoirtest.Memoir
	claude    string // Claude Code's directory
	model     *modeltest.Server
	extractor *extraction.Extractor
}

func setup(t *testing.T, mode extraction.Mode, replies ...modeltest.Reply) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{claude: filepath.Join(dir, "claude")}
	for _, made := range []string{filepath.Join(dir, "agents", "ada", "memory"), filepath.Join(b.claude, "projects", "-work")} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.Memoir = memoirtest.StartIn(t, agents.Settings{AgentsDir: filepath.Join(dir, "agents"), ClaudeDir: b.claude})
	var llm model.Model
	if len(replies) > 0 {
		b.model = modeltest.New(t, replies...)
		llm = b.model.Model()
	}
	b.extractor = b.start(mode, llm)
	return b
}

func (b *bench) start(mode extraction.Mode, llm model.Model) *extraction.Extractor {
	x := extraction.Start(b.Engine, b.Store, extraction.Options{
		Mode: mode, Model: llm, ClaudeDir: b.claude, Log: slog.New(slog.DiscardHandler),
	})
	b.Cleanup(x.Close)
	return x
}

// transcript returns the path of a session's transcript.
func (b *bench) transcript(session string) string {
	return filepath.Join(b.claude, "projects", "-work", session+".jsonl")
}

// says appends to a session's transcript.
func (b *bench) says(session, text string) {
	b.Helper()
	file, err := os.OpenFile(b.transcript(session), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		b.Fatal(err)
	}
}

// run queues a session and reads it at once.
func (b *bench) run(session string) extraction.Outcome {
	b.Helper()
	out, err := b.tryRun(session)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func (b *bench) tryRun(session string) (extraction.Outcome, error) {
	b.Helper()
	deferred, err := b.extractor.Ask(b.Context(), extraction.Request{Agent: "ada", Path: b.transcript(session)})
	if err != nil {
		b.Fatal(err)
	}
	return b.extractor.Run(b.Context(), deferred.Task)
}

// proposals returns ada's proposals, newest first.
func (b *bench) proposals(state records.ProposalState) []extraction.Proposed {
	b.Helper()
	page, err := b.extractor.Proposals(b.Context(), "ada", state, 100, "")
	if err != nil {
		b.Fatal(err)
	}
	return page.Proposals
}

func (b *bench) names(state records.ProposalState) string {
	b.Helper()
	var names []string
	for _, p := range b.proposals(state) {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}

// said returns a line of a transcript.
func said(id, role, text string) string {
	raw, err := json.Marshal(map[string]any{
		"type": role, "uuid": id, "sessionId": "s1", "timestamp": "2026-03-02T10:00:00Z", "message": map[string]any{"role": role, "content": text},
	})
	if err != nil {
		panic(err)
	}
	return string(raw) + "\n"
}

// rule returns a model's answer with one feedback memory, changed by change.
func rule(name, quote string, change ...func(map[string]any)) map[string]any {
	m := map[string]any{
		"name": name, "type": "feedback", "description": "About " + name, "text": name + ": that is the rule.", "why": "They said so.",
		"how_to_apply": "Always.", "quote": quote,
	}
	for _, c := range change {
		c(m)
	}
	return m
}

func found(all ...map[string]any) modeltest.Reply {
	if all == nil {
		all = []map[string]any{}
	}
	return modeltest.SaysJSON(map[string]any{"memories": all})
}

// chatter returns n lines of a conversation without anything to remember.
func chatter(from, n int) string {
	var b strings.Builder
	for i := range n {
		role := []string{"user", "assistant"}[i%2]
		b.WriteString(said(fmt.Sprintf("m%d", from+i), role, fmt.Sprintf("Line %d: what does the parser do?", from+i)))
	}
	return b.String()
}

func (b *bench) file(name string) string { return b.Read("ada/memory/" + name) }

func accept(b *bench, x *extraction.Extractor, p extraction.Proposed) memories.Memory {
	b.Helper()
	result, err := x.Accept(b.Context(), "ada", p.ID.String(), p.ETag(), memories.ByBrowser, extraction.Edits{})
	if err != nil {
		b.Fatal(err)
	}
	return result.Memory
}

func (b *bench) agent() records.Agent {
	b.Helper()
	agent, err := b.Store.Agent(b.Context(), "ada")
	if err != nil {
		b.Fatal(err)
	}
	return agent
}

// exec runs a statement in the database directly.
func (b *bench) exec(statement string) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), b.URL)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context()) //nolint:errcheck // the result is not needed
	if _, err := conn.Exec(b.Context(), statement); err != nil {
		b.Fatal(err)
	}
}

func parse(id string) uuid.UUID { return uuid.MustParse(id) }

func etag(m memories.Memory) string { return engine.ETag(m) }
