// Package extraction proposes memories that an agent did not save during its conversations. It
// reads each part of a conversation once, asks a language model, checks the answer, and stores
// proposals with quotes. A person accepts or refuses them; mode Auto also writes them.
//
// Conversations are untrusted data: a hostile one can only cause proposals. Files are written only
// through package sync. The read position and its proposals are committed together, so a crash
// repeats and loses nothing. The hooks, the API and the pages call it.
package extraction

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Mode selects the action for proposals.
type Mode string

// The modes. The zero Mode means Propose.
const (
	Off     Mode = "off"     // no conversation is read
	Propose Mode = "propose" // a person decides
	Auto    Mode = "auto"    // proposals without doubts are written automatically
)

// Modes lists the modes.
var Modes = []Mode{Off, Propose, Auto}

// DefaultQuiet is the default of Options.Quiet (arbitrary).
const DefaultQuiet = 5 * time.Minute

// Options configures an Extractor.
type Options struct {
	Mode Mode // empty means Propose
	// Quiet is how long a session must be inactive before it is read. Zero means DefaultQuiet.
	Quiet time.Duration
	// DailyTokens is how many tokens of the model may be used on a day (UTC) for conversations that
	// nobody asked to read. Zero means no limit.
	DailyTokens int64
	// Model proposes memories. If it is nil, nothing is read.
	Model model.Model
	// ClaudeDir is Claude Code's configuration directory. Only transcripts in it may be read by
	// path. If it is empty, none may be.
	ClaudeDir string
	// Queue runs the reading. The caller starts it after the Extractor. If it is nil, only Run
	// reads.
	Queue *jobs.Queue
	Log   *slog.Logger
}

// DefaultDailyTokens is the usual value of Options.DailyTokens (arbitrary): some thirty conversations.
const DefaultDailyTokens = 500_000

// Task identifies a conversation to read.
type Task struct {
	AgentID int64  `json:"agent_id"`
	Session string `json:"session"`
}

// JobKind is the kind of the jobs that read conversations. Their keys are sessions.
const JobKind = "extraction"

// Extractor reads conversations and decides proposals. Its methods are safe for concurrent use.
type Extractor struct {
	engine  *engine.Engine
	store   Store
	options Options
	kind    jobs.Kind[Task]
	stop    context.CancelFunc
	done    chan struct{}
}

// finishInterval is the interval of the checks for interrupted accepts, and finishAfter their
// minimum age (arbitrary).
const (
	finishInterval = 30 * time.Second
	finishAfter    = 20 * time.Second
)

// Start returns an Extractor. In the background it queues unread conversations, saves the memories
// of accepted proposals after a crash, and deletes old submitted texts. It registers its job with
// Options.Queue, so the caller must start the queue afterwards. The caller must call Close.
func Start(engine *engine.Engine, store Store, options Options) *Extractor {
	if options.Mode == "" {
		options.Mode = Propose
	}
	if options.Quiet == 0 {
		options.Quiet = DefaultQuiet
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := &Extractor{engine: engine, store: store, options: options, stop: cancel, done: make(chan struct{})}
	if options.Queue != nil {
		x.kind = jobs.Register(options.Queue, JobKind, x.work)
	}
	go x.runBackground(ctx)
	return x
}

// Close cancels the background work and waits for its end. It does not wait for jobs of the queue.
func (x *Extractor) Close() {
	x.stop()
	<-x.done
}

// Mode returns the mode in use. It is never empty: Propose replaces an empty Options.Mode.
func (x *Extractor) Mode() Mode { return x.options.Mode }

// HasModel reports whether a model is configured.
func (x *Extractor) HasModel() bool { return x.options.Model != nil }

// Quiet returns how long a session must be inactive before it is read.
func (x *Extractor) Quiet() time.Duration { return x.options.Quiet }

// Reads reports whether conversations are read: the mode is not Off and there is a model.
func (x *Extractor) Reads() bool { return x.options.Mode != Off && x.options.Model != nil }

// runBackground deletes old submitted texts and saves the memories of interrupted accepts, every
// finishInterval until ctx ends. It also queues unread conversations, until that has succeeded
// once. It does nothing while the engine is not ready.
func (x *Extractor) runBackground(ctx context.Context) {
	defer close(x.done)
	ticker := time.NewTicker(finishInterval)
	defer ticker.Stop()
	caughtUp := false
	for {
		if x.engine.Ready() {
			if !caughtUp {
				caughtUp = x.logError(x.enqueueUnread(ctx))
			}
			x.logError(x.store.DeleteOldTexts(ctx, time.Now().Add(-maxUnreadAge)))
			x.logError(x.FinishAccepting(ctx, records.Now().Add(-finishAfter)))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// logError logs err and reports whether err is nil. It does not log that the database is
// unavailable or a context was cancelled.
func (x *Extractor) logError(err error) bool {
	if err != nil && !errors.Is(err, memories.ErrUnavailable) && !errors.Is(err, context.Canceled) {
		x.options.Log.Warn("unfinished extraction work failed, will retry", "error", err)
	}
	return err == nil
}

// Idle returns an Extractor in mode Off without background work: it reads no conversations, but
// lists, accepts and refuses stored proposals. It needs no Close.
func Idle(engine *engine.Engine, store Store, log *slog.Logger) *Extractor {
	return &Extractor{engine: engine, store: store, options: Options{Mode: Off, Quiet: DefaultQuiet, Log: log}}
}

// Store is the database of an Extractor. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.RecallCandidates
	records.Conversations
	records.Proposals
	records.Jobs

	TokensOfKind(ctx context.Context, kind string, since time.Time) (int64, error)
	TouchConversation(ctx context.Context, agentID int64, session, transcript string, at time.Time) error
	AddTexts(ctx context.Context, agentID int64, session string, messages json.RawMessage, at time.Time) error
	DeleteOldTexts(ctx context.Context, before time.Time) error
	SaveFinding(ctx context.Context, f records.Finding) (kept []uuid.UUID, err error)
	BeginAccepting(ctx context.Context, p records.Proposal) error
	EndAccepting(ctx context.Context, p records.Proposal, memoryID string) error
	CancelAccepting(ctx context.Context, p records.Proposal) error
	RefuseProposal(ctx context.Context, p records.Proposal) error
}
