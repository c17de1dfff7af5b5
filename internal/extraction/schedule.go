package extraction

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/internal/transcript"
)

// maxUnreadAge is how long an unread conversation is kept (arbitrary).
const maxUnreadAge = 30 * 24 * time.Hour

// givenPrefix is the prefix of the names of submitted conversations. Sessions of Claude Code
// contain no colon.
const givenPrefix = "given:"

// ScheduleRead queues the transcript at path, to be read when the session has been quiet for
// Options.Quiet. Each call for the transcript restarts that time. It does nothing and returns nil
// if path is empty, extraction is off or has no model, or the agent's memory is off in Memoir or
// Claude Code. It returns
// memories.ErrNotFound for an unknown agent, and *memories.InvalidError if path is not allowed.
func (x *Extractor) ScheduleRead(ctx context.Context, slug, path string) error {
	if !x.Reads() || path == "" {
		return nil
	}
	_, err := x.scheduleRead(ctx, slug, path, x.options.Quiet)
	if errors.Is(err, errMemoryOff) || errors.Is(err, errClaudeMemoryOff) {
		return nil
	}
	return err
}

// scheduleRead records the conversation of the transcript at path and queues its reading after the
// given time. Zero means now, in a job of its own, and another waiting job of the conversation
// stays. It returns memories.ErrNotFound for an unknown agent, the errors of checkOn, and
// *memories.InvalidError if path is not allowed.
func (x *Extractor) scheduleRead(ctx context.Context, slug, path string, after time.Duration) (Deferred, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Deferred{}, err
	}
	if err := x.checkOn(ctx, agent); err != nil {
		return Deferred{}, err
	}
	path, err = agents.TranscriptPath(x.options.ClaudeDir, path)
	if err != nil {
		return Deferred{}, refusal(err)
	}
	task := Task{agent.ID, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	now := records.Now()
	if err := x.store.TouchConversation(ctx, agent.ID, task.Session, path, now); err != nil {
		return Deferred{}, err
	}
	if after == 0 { // a job that waits for a quiet session stays, and finds less to read
		return x.enqueue(ctx, agent, task, task.Session+requestedSuffix, time.Time{})
	}
	return x.enqueue(ctx, agent, task, task.Session, now.Add(after))
}

// errMemoryOff means that the agent's memory is off.
var errMemoryOff error = &memories.ConflictError{Reason: "The agent's memory is off. Nothing was read. Switch it on in Settings."}

// errClaudeMemoryOff means that Claude Code's own memory is off for the agent.
var errClaudeMemoryOff error = &memories.ConflictError{Reason: "Claude Code's memory is off for this agent. Nothing was read. Settings shows how to switch it on."}

// checkOn returns errMemoryOff or errClaudeMemoryOff if the agent's memory is off. It returns other
// errors if that cannot be found out.
func (x *Extractor) checkOn(ctx context.Context, agent records.Agent) error {
	if agent.MemoryOff {
		return errMemoryOff
	}
	about, err := x.engine.About(ctx, agent.Slug)
	if err == nil && about.IsOff() {
		return errClaudeMemoryOff
	}
	return err
}

// requestedSuffix follows the session in the key of a requested job.
const requestedSuffix = " (asked for)"

// Deferred identifies a queued conversation.
type Deferred struct {
	Task
	Key string // key of the job
}

// Name returns the session, without givenPrefix if it is a submitted conversation.
func (d Deferred) Name() string { return strings.TrimPrefix(d.Session, givenPrefix) }

// enqueue queues the reading of a conversation at the given time; the zero time means now. A
// waiting job with the key is moved to that time, and a running one runs once more then. Without
// Options.Queue it queues nothing and returns no error.
func (x *Extractor) enqueue(ctx context.Context, agent records.Agent, task Task, key string, at time.Time) (Deferred, error) {
	if x.options.Queue == nil {
		return Deferred{task, key}, nil
	}
	return Deferred{task, key}, x.kind.Enqueue(ctx, agent, task, jobs.Once{Key: key, RunAt: at, Postpone: true})
}

// Request is a conversation to read now. It has exactly one of Messages, Transcript and Path.
type Request struct {
	Agent string
	// Session is the conversation's name, or empty. For a Path it is the file's name.
	Session  string
	Messages []transcript.Message
	// Transcript contains JSON lines as written by Claude Code.
	Transcript string
	// Path is the path of a transcript on this machine.
	Path string
}

// Ask stores the conversation of a request and queues it to be read now. It returns at once; Wait
// waits for the result. It sets the ids of request.Messages in place. It returns
// memories.ErrNotFound for an unknown agent, and *memories.InvalidError for a path that is not
// allowed. It returns *memories.ConflictError if extraction or the agent's memory is off, in Memoir
// or Claude Code, or there is no model.
func (x *Extractor) Ask(ctx context.Context, request Request) (Deferred, error) {
	agent, err := x.store.AgentUncounted(ctx, request.Agent)
	if err != nil {
		return Deferred{}, err
	}
	switch {
	case x.options.Mode == Off:
		return Deferred{}, &memories.ConflictError{Reason: "Extraction is off. Nothing was read. Start the server with --extract propose or auto."}
	case x.options.Model == nil:
		return Deferred{}, &memories.ConflictError{Reason: "Nothing was read. " + model.SwitchOn}
	}
	if err := x.checkOn(ctx, agent); err != nil {
		return Deferred{}, err
	}
	if request.Path != "" {
		return x.scheduleRead(ctx, request.Agent, request.Path, 0)
	}
	text := givenText{Transcript: strings.ReplaceAll(request.Transcript, "\x00", "\uFFFD"), Messages: withIDs(request.Messages)}
	raw, err := json.Marshal(text)
	if err != nil {
		return Deferred{}, err
	}
	session := request.Session
	if session == "" { // the same conversation gets the same name
		sum := sha256.Sum256(raw)
		session = "#" + hex.EncodeToString(sum[:8])
	}
	task, now := Task{agent.ID, givenPrefix + session}, records.Now()
	if err := x.store.AddTexts(ctx, agent.ID, task.Session, raw, now); err != nil {
		return Deferred{}, err
	}
	return x.enqueue(ctx, agent, task, Deferred{Task: task}.Name()+requestedSuffix, time.Time{})
}

// withIDs sets the id of each message, in place, to a hash of it and all previous messages, and
// replaces NUL by U+FFFD in texts. It returns messages. A script can then submit a longer version
// of a conversation, and known messages are skipped.
func withIDs(messages []transcript.Message) []transcript.Message {
	before := ""
	for i, m := range messages {
		sum := sha256.Sum256([]byte(before + "\x00" + m.Role + "\x00" + m.Text))
		before = hex.EncodeToString(sum[:16])
		messages[i].ID = before
		messages[i].Text = strings.ReplaceAll(m.Text, "\x00", "\uFFFD")
	}
	return messages
}

// enqueueUnread queues the stored conversations of the last maxUnreadAge that are not read
// completely. Each is read when it has been quiet for Options.Quiet. It does nothing if Reads is
// false or there is no queue. It skips agents that no longer exist.
func (x *Extractor) enqueueUnread(ctx context.Context) error {
	if !x.Reads() || x.options.Queue == nil {
		return nil
	}
	unread, err := x.store.UnreadConversations(ctx, time.Now().Add(-maxUnreadAge))
	if err != nil {
		return err
	}
	for _, c := range unread {
		agent, err := x.agent(ctx, c.AgentID)
		if errors.Is(err, memories.ErrNotFound) { // the agent was forgotten
			continue
		}
		if err != nil {
			return err
		}
		task := Task{c.AgentID, c.Session}
		if _, err := x.enqueue(ctx, agent, task, Deferred{Task: task}.Name(), c.LastActivityAt.Add(x.options.Quiet)); err != nil {
			return err
		}
	}
	return nil
}
