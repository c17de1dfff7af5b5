package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// command asks by means of the claude command line, as whoever is signed in there.
type command struct {
	program string
	name    string
	env     []string

	mu    sync.Mutex
	flags *flags // nil: not known yet
}

// flags are what the installed command line can do beyond what it must.
type flags struct {
	schema     bool // --json-schema
	systemFile bool // --system-prompt-file
	slash      bool // --disable-slash-commands
}

// The flags without which nothing is asked: an answer must not use a tool, run a hook, or leave a conversation behind that Memoir then reads.
var needed = []string{"--output-format", "--tools", "--setting-sources", "--strict-mcp-config", "--no-session-persistence", "--system-prompt"}

const (
	// mostOutput bounds what it may write; an answer has a few kilobytes.
	mostOutput = 4 << 20
	// mostComplaint is how much of standard error is kept for the log.
	mostComplaint = 2 << 10
	// helpTime is how long it may take to say what it can do.
	helpTime = 30 * time.Second
	// lingering is how long what it has started may keep its output open after it has ended.
	lingering = time.Second
)

// withheld are the beginnings of variables that are none of its business: Memoir's secrets, and the marks of a session around Memoir,
// which would have it refuse to start.
var withheld = []string{"MEMOIR_", "DATABASE_URL=", "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=", "CLAUDE_CODE_SESSION_ID="}

// Command returns a model behind the claude command line: program is its name or path, name the model's (empty: the one that is set there),
// and env its environment, as os.Environ gives it. It needs no key, and some seconds for each answer. What is asked goes to its standard input
// and into a file that only Memoir's user can read. It works in a new and empty directory, without tools, hooks, servers, or memory.
func Command(program, name string, env []string) Model {
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return slices.ContainsFunc(withheld, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	env = append(env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	return &command{program: program, name: name, env: env}
}

func (c *command) Ask(ctx context.Context, question Question) (Answer, error) {
	can, err := c.known(ctx)
	if err != nil {
		return Answer{}, err
	}
	dir, err := os.MkdirTemp("", "memoir-claude-")
	if err != nil {
		return Answer{}, &Error{why: "there is no room for a temporary directory", cause: err, again: true}
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is the system's to clear
	args, err := c.arguments(can, dir, question)
	if err != nil {
		return Answer{}, err
	}
	out, err := c.run(ctx, dir, question, args)
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	// It says more about a failure in its output than by how it ends.
	answer, said := c.read(out, can)
	if said != nil && err != nil && answer.Model == "" && !isResult(out) {
		return Answer{}, err
	}
	return answer, said
}

// arguments are those of one question. Nothing of its text is among them, for everybody on the machine can read them.
func (c *command) arguments(can flags, dir string, question Question) ([]string, error) {
	args := []string{"-p", "--output-format", "json", "--tools", "", "--setting-sources", "", "--strict-mcp-config", "--no-session-persistence"}
	if can.slash {
		args = append(args, "--disable-slash-commands")
	}
	if c.name != "" {
		args = append(args, "--model", c.name)
	}
	schema, err := json.Marshal(question.Schema)
	if err != nil {
		return nil, &Error{why: "its question has a schema that is none", cause: err}
	}
	system := question.System
	if can.schema {
		args = append(args, "--json-schema", string(schema))
	} else {
		system = withSchema(system, schema)
	}
	if !can.systemFile {
		return append(args, "--system-prompt", system), nil
	}
	path := filepath.Join(dir, "instructions")
	if err := os.WriteFile(path, []byte(system), 0o600); err != nil {
		return nil, &Error{why: "its instructions cannot be written", cause: err, again: true}
	}
	return append(args, "--system-prompt-file", path), nil
}

// known finds out once what the installed command line can do.
func (c *command) known(ctx context.Context) (flags, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flags != nil {
		return *c.flags, nil
	}
	limited, cancel := context.WithTimeout(ctx, helpTime)
	defer cancel()
	out, err := c.run(limited, "", Question{}, []string{"--help"})
	if ctx.Err() != nil {
		return flags{}, ctx.Err()
	}
	if err != nil {
		return flags{}, err
	}
	offered := strings.FieldsFunc(string(out), func(r rune) bool { return strings.ContainsRune(" \t\r\n,=[]<>", r) })
	for _, flag := range needed {
		if !slices.Contains(offered, flag) {
			return flags{}, &Error{why: "the installed claude is too old: it has no " + flag + ". Update it (claude update)", misconfigured: true}
		}
	}
	c.flags = &flags{
		schema:     slices.Contains(offered, "--json-schema"),
		systemFile: slices.Contains(offered, "--system-prompt-file"),
		slash:      slices.Contains(offered, "--disable-slash-commands"),
	}
	return *c.flags, nil
}

// run runs the program to its end, and ends it, with all that it has started, when ctx ends. It returns what was written, also of one that fails.
func (c *command) run(ctx context.Context, dir string, question Question, args []string) ([]byte, error) {
	var out, complaint bounded
	out.most, out.strict, complaint.most = mostOutput, true, mostComplaint
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir, cmd.Env = cmp.Or(dir, os.TempDir()), c.env
	if question.MaxTokens > 0 {
		cmd.Env = append(slices.Clone(c.env), "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(question.MaxTokens))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(question.Text), &out, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a group of its own, which is ended as a whole
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, lingering
	err := cmd.Run()
	if cmd.Process != nil {
		_ = end() // what it has left behind
	}
	var exited *exec.ExitError
	switch {
	case err == nil:
		return out.kept.Bytes(), nil
	case out.over:
		return nil, &Error{why: "it wrote more than an answer can be", cause: err, again: true}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return nil, &Error{why: "there is no program " + c.program + " that could be run", cause: err, misconfigured: true}
	case errors.As(err, &exited), errors.Is(err, exec.ErrWaitDelay):
		return out.kept.Bytes(), &Error{why: "the claude command line failed", cause: fmt.Errorf("%w: %s", err, shortened(strings.TrimSpace(complaint.kept.String()))), again: true}
	}
	return out.kept.Bytes(), &Error{why: "the claude command line could not be run", cause: err, again: true}
}

// result is what it writes with --output-format json.
type result struct {
	Type             string          `json:"type"`
	IsError          bool            `json:"is_error"`
	Result           string          `json:"result"`
	StructuredOutput json.RawMessage `json:"structured_output"`
	StopReason       string          `json:"stop_reason"`
	Usage            struct {
		Input        int `json:"input_tokens"`
		CacheCreated int `json:"cache_creation_input_tokens"`
		CacheRead    int `json:"cache_read_input_tokens"`
		Output       int `json:"output_tokens"`
	} `json:"usage"`
	ModelUsage map[string]json.RawMessage `json:"modelUsage"`
}

// resultOf finds the result in what was written: it stands alone, or ends a list of all that has happened.
func resultOf(out []byte) (result, bool) {
	var one result
	if json.Unmarshal(out, &one) == nil && one.Type == "result" {
		return one, true
	}
	var all []json.RawMessage
	if json.Unmarshal(out, &all) != nil || len(all) == 0 {
		return result{}, false
	}
	return one, json.Unmarshal(all[len(all)-1], &one) == nil && one.Type == "result"
}

func isResult(out []byte) bool {
	_, is := resultOf(out)
	return is
}

// read makes an answer of what was written.
func (c *command) read(out []byte, can flags) (Answer, error) {
	r, is := resultOf(out)
	if !is {
		return Answer{}, &Error{why: "the claude command line did not answer", cause: errors.New(shortened(string(out))), again: true}
	}
	answer := Answer{
		Model: cmp.Or(c.name, "claude"), OutputTokens: r.Usage.Output,
		InputTokens: r.Usage.Input + r.Usage.CacheCreated + r.Usage.CacheRead,
	}
	if len(r.ModelUsage) == 1 { // several, where it has asked a smaller one as well
		for name := range r.ModelUsage {
			answer.Model = name
		}
	}
	switch {
	case r.IsError:
		return answer, refusal(r.Result)
	case r.StopReason == "refusal", r.StopReason == "max_tokens":
		return answer, &Error{why: fmt.Sprintf("it ended with %q in place of an answer", r.StopReason)}
	case can.schema && len(r.StructuredOutput) > 0 && !bytes.Equal(r.StructuredOutput, []byte("null")):
		answer.JSON = r.StructuredOutput
		return answer, nil
	}
	var err error
	answer.JSON, err = value(strings.TrimSpace(r.Result))
	return answer, err
}

// refusal words why it could not ask. A person who is not signed in, or has no credit, has to change that first.
func refusal(said string) error {
	signIn := []string{
		"/login", "Invalid API key", "authentication_error", "Credit balance", "API Error: 401", "API Error: 403", "API Error: 404",
	}
	contains := func(part string) bool { return strings.Contains(said, part) }
	configured := !slices.ContainsFunc(signIn, contains)
	if configured && !contains("API Error: 400") {
		return &Error{why: "the claude command line was not answered", cause: errors.New(shortened(said)), again: true}
	}
	return &Error{
		why:   "the claude command line is refused: run claude once to see why, and whether it is signed in",
		cause: errors.New(shortened(said)), misconfigured: !configured,
	}
}

// bounded keeps the beginning of what is written to it. Where it is strict, there must not be more.
type bounded struct {
	kept         bytes.Buffer
	most         int
	strict, over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.kept.Len(); len(p) > room {
		b.over = true
		b.kept.Write(p[:max(room, 0)])
		if b.strict {
			return 0, errors.New("it is too much")
		}
		return len(p), nil
	}
	return b.kept.Write(p)
}
