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

	"memoir/internal/findings/quarantine"
)

// command uses the claude command line, with the account that is signed in there.
type command struct {
	program string
	name    string
	env     []string

	mu    sync.Mutex
	flags *flags // nil until known
}

// flags are the optional features of the installed command line.
type flags struct {
	schema     bool // --json-schema
	systemFile bool // --system-prompt-file
	slash      bool // --disable-slash-commands
}

// required are the flags without which Memoir does not ask. They prevent tools, hooks and stored
// conversations, which Memoir would read.
var required = []string{"--output-format", "--tools", "--setting-sources", "--settings", "--strict-mcp-config", "--no-session-persistence", "--system-prompt"}

// neutralSettings switch off what would change an answer: hooks, CLAUDE.md files and the output
// style. The user's other settings stay in use, because a sign-in may stand there, as apiKeyHelper
// or in env.
const neutralSettings = `{"disableAllHooks":true,"claudeMdExcludes":["**"],"outputStyle":"default"}`

const (
	// maxOutput is the maximum size of the output, in bytes. An answer has a few kilobytes.
	maxOutput = 4 << 20
	// maxStderr is the maximum size of standard error kept for the log, in bytes.
	maxStderr = 2 << 10
	// helpTimeout is the timeout of claude --help (arbitrary).
	helpTimeout = 30 * time.Second
	// outputTimeout is how long child processes may keep the output open after the end (arbitrary).
	outputTimeout = time.Second
)

// withheld are prefixes of variables that the command line must not get: Memoir's secrets, and
// marks of an outer session, with which it refuses to start.
var withheld = []string{"MEMOIR_", "DATABASE_URL=", "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=", "CLAUDE_CODE_SESSION_ID="}

// Command returns a model that runs the claude command line for each question. program is its name
// or path. name is the model, or "" for its default. env is the environment, as from os.Environ;
// Memoir's own variables are removed. Command runs nothing: a missing or old program makes Ask
// fail. It needs no key, and runs without tools, hooks and memory.
func Command(program, name string, env []string) Model {
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return slices.ContainsFunc(withheld, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	env = append(env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	return &command{program: program, name: name, env: env}
}

// Ask runs the command line once with the question, in a temporary directory that it removes. It
// returns *Error if the program is missing or too old, fails, or gives no JSON, and ctx.Err() if
// ctx ends. With an *Error the answer has the used tokens, if the program stated them.
func (c *command) Ask(ctx context.Context, question Question) (Answer, error) {
	question.Text = quarantine.MaskSecrets(question.Text)
	can, err := c.known(ctx)
	if err != nil {
		return Answer{}, err
	}
	dir, err := os.MkdirTemp("", "memoir-claude-")
	if err != nil {
		return Answer{}, &Error{why: "it has no space for a temporary directory", cause: err, again: true}
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system clears it
	args, err := c.arguments(can, dir, question)
	if err != nil {
		return Answer{}, err
	}
	out, err := c.run(ctx, dir, question, args)
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	// The output explains a failure better than the exit status.
	answer, failure := c.read(out, can)
	if failure != nil && err != nil && answer.Model == "" {
		return Answer{}, err
	}
	return answer, failure
}

// arguments returns the arguments for one question. They do not contain question.Text, because all
// users of the machine can read arguments. If the program can read the system prompt from a file,
// it writes one in dir. It returns *Error if that fails.
func (c *command) arguments(can flags, dir string, question Question) ([]string, error) {
	args := []string{"-p", "--output-format", "json", "--tools", "", "--setting-sources", "user", "--settings", neutralSettings, "--strict-mcp-config", "--no-session-persistence"}
	if can.slash {
		args = append(args, "--disable-slash-commands")
	}
	if c.name != "" {
		args = append(args, "--model", c.name)
	}
	schema, err := json.Marshal(question.Schema)
	if err != nil {
		return nil, &Error{why: "its question has an invalid schema", cause: err}
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

// known returns the optional features of the installed command line, from its help. Later calls
// return the result of the first success without running the program. It returns *Error if the
// program fails or lacks a required flag, and ctx.Err() if ctx ends.
func (c *command) known(ctx context.Context) (flags, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flags != nil {
		return *c.flags, nil
	}
	limitedCtx, cancel := context.WithTimeout(ctx, helpTimeout)
	defer cancel()
	out, err := c.run(limitedCtx, "", Question{}, []string{"--help"})
	if ctx.Err() != nil {
		return flags{}, ctx.Err()
	}
	if err != nil {
		return flags{}, err
	}
	offered := strings.FieldsFunc(string(out), func(r rune) bool { return strings.ContainsRune(" \t\r\n,=[]<>", r) })
	for _, flag := range required {
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

// run runs the program with the question's text as input and returns its output. At the end, or
// when ctx ends, it kills the program's process group. If the program fails, it returns the output
// so far and an *Error. If it cannot be run, or writes more than maxOutput, it returns nil and an
// *Error.
func (c *command) run(ctx context.Context, dir string, question Question, args []string) ([]byte, error) {
	var out, stderr bounded
	out.max, out.strict, stderr.max = maxOutput, true, maxStderr
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir, cmd.Env = cmp.Or(dir, os.TempDir()), c.env
	if question.MaxTokens > 0 {
		cmd.Env = append(slices.Clone(c.env), "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(question.MaxTokens))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(question.Text), &out, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a process group, killed as a whole
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = kill, outputTimeout
	err := cmd.Run()
	if cmd.Process != nil {
		_ = kill() // kills remaining children
	}
	var exited *exec.ExitError
	switch {
	case err == nil:
		return out.kept.Bytes(), nil
	case out.over:
		return nil, &Error{why: "it wrote more than an answer can be", cause: err, again: true}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return nil, &Error{why: "the program " + c.program + " cannot be run", cause: err, misconfigured: true}
	case errors.As(err, &exited), errors.Is(err, exec.ErrWaitDelay):
		return out.kept.Bytes(), &Error{why: "the claude command line failed", cause: fmt.Errorf("%w: %s", err, shortened(strings.TrimSpace(stderr.kept.String()))), again: true}
	}
	return out.kept.Bytes(), &Error{why: "the claude command line could not be run", cause: err, again: true}
}

// result is the output with --output-format json.
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

// resultOf returns the result in an output: the whole output, or the last element of a list. It
// returns false if that is no JSON object of type "result".
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

// read returns the answer in an output, with the model and the used tokens. If the output has no
// result, it returns a zero Answer and *Error. If the result is an error, a refusal, cut off, or
// no JSON, it returns *Error and an Answer with the used tokens.
func (c *command) read(out []byte, can flags) (Answer, error) {
	r, is := resultOf(out)
	if !is {
		return Answer{}, &Error{why: "the claude command line did not answer", cause: errors.New(shortened(string(out))), again: true}
	}
	answer := Answer{
		Model: cmp.Or(c.name, "claude"), OutputTokens: r.Usage.Output,
		InputTokens: r.Usage.Input + r.Usage.CacheCreated + r.Usage.CacheRead,
	}
	if len(r.ModelUsage) == 1 { // several if it also used a smaller model
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

// refusal returns the *Error for a message with which the command line refused a question. If a
// person must sign in or pay first, it is misconfigured and Again is false. For a bad request
// Again is false too. For any other message Again is true.
func refusal(message string) error {
	signIn := []string{
		"/login", "Invalid API key", "authentication_error", "Credit balance", "API Error: 401", "API Error: 403", "API Error: 404",
	}
	contains := func(part string) bool { return strings.Contains(message, part) }
	configured := !slices.ContainsFunc(signIn, contains)
	if configured && !contains("API Error: 400") {
		return &Error{why: "the claude command line was not answered", cause: errors.New(shortened(message)), again: true}
	}
	return &Error{
		why:   "the claude command line is refused: run claude once to see why, and whether it is signed in",
		cause: errors.New(shortened(message)), misconfigured: !configured,
	}
}

// bounded stores the first bytes written to it. If strict is set, more bytes are an error.
type bounded struct {
	kept         bytes.Buffer
	max          int
	strict, over bool
}

// Write stores the bytes of p that fit. If some do not fit, it sets over. It then returns 0 and an
// error if strict is set, else it drops them and returns len(p).
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.kept.Len(); len(p) > room {
		b.over = true
		b.kept.Write(p[:max(room, 0)])
		if b.strict {
			return 0, errors.New("it is too much")
		}
		return len(p), nil
	}
	return b.kept.Write(p)
}
