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

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/internal/transcript"
)

// unreadFor is how long a conversation that nobody has read is still to be read, where a server comes back to it.
const unreadFor = 30 * 24 * time.Hour

// given is the beginning of the names of conversations that scripts give: a session of Claude Code has none with a colon.
const given = "given:"

// ScheduleRead queues the transcript at path, to be read when the session has been quiet for Options.Quiet. It
// does nothing if path is empty, extraction is off, or the agent's memory is off. It returns
// *memories.InvalidError if path is not allowed.
func (x *Extractor) ScheduleRead(ctx context.Context, slug, path string) error {
	if !x.Reads() || path == "" {
		return nil
	}
	_, err := x.scheduleRead(ctx, slug, path, x.options.Quiet)
	if errors.Is(err, errMemoryOff) {
		return nil
	}
	return err
}

// scheduleRead queues the transcript at path, to be read after the given time.
func (x *Extractor) scheduleRead(ctx context.Context, slug, path string, after time.Duration) (Deferred, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Deferred{}, err
	}
	if agent.MemoryOff {
		return Deferred{}, errMemoryOff
	}
	path, err = x.permitted(path)
	if err != nil {
		return Deferred{}, err
	}
	task := Task{agent.ID, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	now := records.Now()
	if err := x.store.HearConversation(ctx, agent.ID, task.Session, path, now); err != nil {
		return Deferred{}, err
	}
	if after == 0 { // what waits to be read when the session is silent stays as it is, and finds less to read
		return x.later(ctx, agent, task, task.Session+asked, time.Time{})
	}
	return x.later(ctx, agent, task, task.Session, now.Add(after))
}

// errMemoryOff says that somebody has switched the agent's memory off.
var errMemoryOff error = &memories.ConflictError{Reason: "The agent's memory is switched off. Nothing was read. Switch it on under About."}

// asked follows the session in the key of a job that somebody has asked for.
const asked = " (asked for)"

// Deferred is a conversation that is to be read.
type Deferred struct {
	Task
	Key string // of the job
}

// Name is what the conversation is called by whoever gave it.
func (d Deferred) Name() string { return strings.TrimPrefix(d.Session, given) }

// later has a conversation read at that time. Where it waits for an earlier one it is put off; where it is being read, it is read on then.
func (x *Extractor) later(ctx context.Context, agent records.Agent, task Task, key string, at time.Time) (Deferred, error) {
	if x.options.Queue == nil {
		return Deferred{task, key}, nil
	}
	return Deferred{task, key}, x.kind.Enqueue(ctx, agent, task, jobs.Once{Key: key, RunAt: at, Postpone: true})
}

// Request is a conversation that somebody wants to be read now: one of the three.
type Request struct {
	Agent string
	// Session is what the conversation is called; empty: nothing. Of a transcript's file it is the name.
	Session  string
	Messages []transcript.Message
	// Transcript is JSON lines as Claude Code writes them.
	Transcript string
	// Path is of a transcript on this machine.
	Path string
}

// Ask has a conversation read as soon as may be. It fails with memories.ErrNotFound for an unknown agent, *memories.InvalidError for
// what cannot be read, and *memories.ConflictError where conversations are not read.
func (x *Extractor) Ask(ctx context.Context, request Request) (Deferred, error) {
	agent, err := x.store.AgentUncounted(ctx, request.Agent)
	if err != nil {
		return Deferred{}, err
	}
	if err := x.switchedOn(); err != nil {
		return Deferred{}, err
	}
	if agent.MemoryOff {
		return Deferred{}, errMemoryOff
	}
	if request.Path != "" {
		return x.scheduleRead(ctx, request.Agent, request.Path, 0)
	}
	text := givenText{Transcript: strings.ReplaceAll(request.Transcript, "\x00", "\uFFFD"), Messages: chained(request.Messages)}
	raw, err := json.Marshal(text)
	if err != nil {
		return Deferred{}, err
	}
	session := request.Session
	if session == "" { // the same conversation given again is the same one
		sum := sha256.Sum256(raw)
		session = "#" + hex.EncodeToString(sum[:8])
	}
	task, now := Task{agent.ID, given + session}, records.Now()
	if err := x.store.GiveConversation(ctx, agent.ID, task.Session, raw, now); err != nil {
		return Deferred{}, err
	}
	return x.later(ctx, agent, task, Deferred{Task: task}.Name()+asked, time.Time{})
}

// switchedOn says with a *memories.ConflictError why conversations are not read, and how to change that.
func (x *Extractor) switchedOn() error {
	switch {
	case x.options.Mode == Off:
		return &memories.ConflictError{Reason: "Extraction is switched off. Nothing was read. Start the server with --extract propose, or auto."}
	case x.options.Model == nil:
		return &memories.ConflictError{Reason: "Nothing was read. " + model.SwitchOn}
	}
	return nil
}

// chained gives messages without a name one that says all that was said up to there: a script may give a conversation again with more
// at its end, and what was read is known by that.
func chained(messages []transcript.Message) []transcript.Message {
	before := ""
	for i, m := range messages {
		sum := sha256.Sum256([]byte(before + "\x00" + m.Role + "\x00" + m.Text))
		before = hex.EncodeToString(sum[:16])
		messages[i].ID = before
		messages[i].Text = strings.ReplaceAll(m.Text, "\x00", "\uFFFD")
	}
	return messages
}

// catchUp has those conversations read that a server was told of and that nobody has put into the queue, or read to the end.
func (x *Extractor) catchUp(ctx context.Context) error {
	if !x.Reads() || x.options.Queue == nil {
		return nil
	}
	unread, err := x.store.UnreadConversations(ctx, time.Now().Add(-unreadFor))
	if err != nil {
		return err
	}
	for _, c := range unread {
		agent, err := x.agent(ctx, c.AgentID)
		if errors.Is(err, memories.ErrNotFound) { // forgotten in this moment
			continue
		}
		if err != nil {
			return err
		}
		task := Task{c.AgentID, c.Session}
		if _, err := x.later(ctx, agent, task, Deferred{Task: task}.Name(), c.HeardAt.Add(x.options.Quiet)); err != nil {
			return err
		}
	}
	return nil
}
