// Package extraction finds in conversations what an agent should have remembered and did not: the safety net of an agent's memory. It
// reads each stretch of a conversation once, asks a language model what is worth keeping, checks each word of the answer, and keeps
// what is left as proposals with the quotes that they come from, for a person to accept or refuse; or, when it is told to, writes them.
//
// A conversation is data, whoever speaks in it: what a hostile one makes a model propose is a proposal like any other. Nothing is
// written but through the engine. What was read and what came of it are committed together, so that a crash repeats nothing and loses
// nothing. The hooks, the API and the pages call it.
package extraction

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/internal/sync"
)

// Mode is what becomes of what is found.
type Mode string

// The modes.
const (
	Off     Mode = "off"     // no conversation is read
	Propose Mode = "propose" // a person accepts or refuses
	Auto    Mode = "auto"    // it is written without asking
)

// Modes lists them.
var Modes = []Mode{Off, Propose, Auto}

// DefaultQuiet is how long a session must be silent before it is read.
const DefaultQuiet = 5 * time.Minute

// Options are the settings of an Extractor.
type Options struct {
	Mode Mode // empty: Propose
	// Quiet is how long a session must be silent before it is read; 0: DefaultQuiet.
	Quiet time.Duration
	// Model is asked what is worth keeping; nil: nothing is read.
	Model model.Model
	// ClaudeDir is the configuration directory of Claude Code, whose transcripts may be read; empty: none may.
	ClaudeDir string
	// Queue does the reading. It is started after the Extractor. Nil: nothing is read but by Run.
	Queue *jobs.Queue
	Log   *slog.Logger
}

// Task is one conversation that is to be read.
type Task struct {
	AgentID int64  `json:"agent_id"`
	Session string `json:"session"`
}

// JobKind is what the reading of a conversation is called among the jobs of an agent. The key of one is its session.
const JobKind = "extraction"

// Extractor reads conversations.
type Extractor struct {
	engine  *sync.Engine
	store   Store
	options Options
	kind    jobs.Kind[Task]
	end     context.CancelFunc
	ended   chan struct{}
}

// finishing is how often it is looked for what a crash has left half accepted, and unfinished how old that is.
const (
	finishing  = 30 * time.Second
	unfinished = 20 * time.Second
)

// Start begins to finish what was begun before. It is ended with Close.
func Start(engine *sync.Engine, store Store, options Options) *Extractor {
	if options.Mode == "" {
		options.Mode = Propose
	}
	if options.Quiet == 0 {
		options.Quiet = DefaultQuiet
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := &Extractor{engine: engine, store: store, options: options, end: cancel, ended: make(chan struct{})}
	if options.Queue != nil {
		x.kind = jobs.Register(options.Queue, JobKind, x.work)
	}
	go x.lookAfter(ctx)
	return x
}

// Close ends what is being finished. It does not wait for anything else.
func (x *Extractor) Close() {
	x.end()
	<-x.ended
}

// Mode says what becomes of what is found.
func (x *Extractor) Mode() Mode { return x.options.Mode }

// HasModel says whether there is a model to ask.
func (x *Extractor) HasModel() bool { return x.options.Model != nil }

// Quiet is how long a session must be silent before it is read.
func (x *Extractor) Quiet() time.Duration { return x.options.Quiet }

// Reads says whether conversations are read at all.
func (x *Extractor) Reads() bool { return x.options.Mode != Off && x.options.Model != nil }

// lookAfter finishes what was left half done: at once what this server left, later also what another one did.
func (x *Extractor) lookAfter(ctx context.Context) {
	defer close(x.ended)
	again := time.NewTicker(finishing)
	defer again.Stop()
	caughtUp := false
	for {
		if x.engine.Ready() {
			if !caughtUp {
				caughtUp = x.reported(x.catchUp(ctx))
			}
			x.reported(x.store.ForgetTexts(ctx, time.Now().Add(-unreadFor)))
			x.reported(x.FinishAccepting(ctx, records.Now().Add(-unfinished)))
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// reported logs an error, unless it is that the database is away, which others tell of. It says whether there was none.
func (x *Extractor) reported(err error) bool {
	if err != nil && !errors.Is(err, memories.ErrUnavailable) && !errors.Is(err, context.Canceled) {
		x.options.Log.Warn("what was begun with a conversation could not be finished", "error", err)
	}
	return err == nil
}

// Idle is an Extractor that reads nothing and finishes nothing; what was proposed can be decided about. It needs no Close.
func Idle(engine *sync.Engine, store Store, log *slog.Logger) *Extractor {
	return &Extractor{engine: engine, store: store, options: Options{Mode: Off, Quiet: DefaultQuiet, Log: log}}
}
