// Package recall finds what an agent remembers about what it is asked, and hands it over at the right moment: at most a handful
// of memories, chosen by a model or by the words, each once in a session, within a budget, and with a record of what was given
// and why. What is chosen from, how much is given and how it is worded are as Claude Code does it.
//
// It reads memories and writes nothing but its own records; no file is touched. The API, the hooks and the MCP endpoint ask it.
// How words rank memories (rank.go and what it builds on) is pure, and also used where there is no server.
package recall

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// The ways to choose.
const (
	ByModel   = "model"
	ByKeyword = "keyword"
)

// Who asks.
const (
	FromScript = "script"
	FromHook   = "hook"
	FromMCP    = "mcp"
)

// A Selector chooses memories by what they are called and described as.
type Selector interface {
	// Select returns the paths of those of the candidates that certainly help with the query, the best first and MostChosen at
	// most. What it returns besides is left out.
	Select(ctx context.Context, query string, candidates []memories.Memory) (paths []string, err error)
}

// Options are the settings of a Recaller.
type Options struct {
	// Selector chooses; nil: the words do.
	Selector Selector
	// Patience is how long the selector may take before the words choose; 0 is 2 s.
	Patience time.Duration
	Log      *slog.Logger
}

const (
	defaultPatience = 2 * time.Second
	// kept is how long a record is kept, and looked through how often one is older.
	kept       = 90 * 24 * time.Hour
	housekeeps = time.Hour
	// abandoned is when a recall that has not settled never will: its server has ended.
	abandoned = 30 * time.Second
	// mostQuery is how much of a query is kept in its record, in bytes.
	mostQuery = 4000
	// mostSession is the longest name of a session, in bytes.
	mostSession = 256
	// mostPrefetches bounds how many recalls run that nobody waits for.
	mostPrefetches = 64
)

// Recaller recalls. It is safe for concurrent use.
type Recaller struct {
	store   Store
	options Options
	now     func() time.Time

	stop       context.CancelFunc
	ended      context.Context
	running    sync.WaitGroup
	prefetches chan struct{}
}

// New returns a recaller. Close ends it.
func New(store Store, options Options) *Recaller {
	if options.Patience == 0 {
		options.Patience = defaultPatience
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Recaller{store: store, options: options, now: records.Now, stop: stop, ended: ctx, prefetches: make(chan struct{}, mostPrefetches)}
	r.running.Go(r.deleteExpired)
	return r
}

// Close gives up what nobody waits for, and waits for that.
func (r *Recaller) Close() {
	r.stop()
	r.running.Wait()
}

// HasModel reports whether a model chooses.
func (r *Recaller) HasModel() bool { return r.options.Selector != nil }

// Request is what is to be recalled.
type Request struct {
	Agent string // slug
	Query string
	// Session is given each memory once, and SessionBudget bytes in all; empty: nothing is known of what was given before.
	Session string
	Limit   int // 1 to MostChosen; 0 is MostChosen
	From    string
	// MostText bounds what is given, in Unicode characters with the heads; 0: only by SessionBudget. What does not fit is not given.
	MostText int
	// ReadOnly means that the caller may change nothing: no record is kept, nothing is subtracted for the session, and no model is
	// asked. The same request gets the same answer again.
	ReadOnly bool
}

// Result is what a recall gave.
type Result struct {
	ID       string
	Pending  bool // it has not settled
	Memories []Recalled
	// SelectedBy is ByModel or ByKeyword; empty where nothing was looked at, which Skipped gives the reason of.
	SelectedBy string
	Skipped    Skip
	// Note says why the words chose although there is a model; else empty.
	Note       string
	Candidates int // that were chosen from
	// BudgetLeft is how much more the session may be given, in bytes.
	BudgetLeft int
	Took       time.Duration
}

// Recalled is a memory as it is given.
type Recalled struct {
	memories.Memory // without its body
	Age             memories.Age
	Why             []string
	File            string // where that is, absolute
	Head            string
	Warning         string // of Head: that it is stale, and cites what is gone; empty if neither is so
	Text            string // of the file, cut
	Bytes           int    // that it takes of the budget
}

// Blocks are what is given, without tags around them.
func (r Result) Blocks() []string {
	blocks := make([]string, len(r.Memories))
	for i, m := range r.Memories {
		blocks[i] = Block(m.Head, m.Text)
	}
	return blocks
}

// Recall chooses memories and hands them out. It fails with memories.ErrNotFound for an unknown agent, *memories.InvalidError for
// a request that cannot be, and memories.ErrUnavailable.
func (r *Recaller) Recall(ctx context.Context, request Request) (Result, error) {
	from, record, err := r.begin(ctx, &request)
	if err != nil {
		return Result{}, err
	}
	if err := r.choose(ctx, from, &record, request); err != nil {
		return Result{}, err
	}
	result, _, err := r.deliver(ctx, from, record, request)
	return result, err
}

// begin checks a request and opens its record. It returns the agents whose memories there are to choose from.
func (r *Recaller) begin(ctx context.Context, request *Request) (records.RecallSources, records.Recall, error) {
	if err := request.check(); err != nil {
		return nil, records.Recall{}, err
	}
	if request.ReadOnly {
		request.Session = ""
	}
	from, err := r.store.RecallSources(ctx, request.Agent)
	if err != nil {
		return nil, records.Recall{}, err
	}
	agent := from[0]
	id, err := uuid.NewV7()
	return from, records.Recall{
		ID: id, AgentID: agent.ID, At: r.now(), Session: request.Session, AskedBy: request.From, Query: beginningOf(request.Query, mostQuery),
		State: records.RecallPending,
	}, err
}

// choose fills a record with what was chosen, and how.
func (r *Recaller) choose(ctx context.Context, from records.RecallSources, record *records.Recall, request Request) error {
	begun := time.Now()
	defer func() { record.Took = time.Since(begun) }()
	given, of, skip, err := r.gate(ctx, from, request)
	if err != nil || skip != "" {
		record.Skipped = string(skip)
		return err
	}
	if r.HasModel() && !request.ReadOnly {
		err := r.byModel(ctx, from, record, request, given)
		if err == nil && len(record.Chosen) == 0 {
			return r.insteadOfNone(ctx, from, of, record, request, given)
		}
		if err == nil || ctx.Err() != nil || errors.Is(err, memories.ErrUnavailable) {
			return err
		}
		r.options.Log.WarnContext(ctx, "the model did not choose, so the words did", "error", err)
		record.Note = "The model did not choose (" + plain(err) + "), so the words did."
	}
	found, err := r.byKeyword(ctx, from, of, request.Query, given.Memories)
	if err != nil {
		return err
	}
	record.SelectedBy, record.Candidates = ByKeyword, found.candidates
	for _, f := range found.answers[:min(len(found.answers), request.Limit)] {
		record.Chosen = append(record.Chosen, records.RecallChoice{ID: uuid.MustParse(f.ID), Why: f.why()})
	}
	return nil
}

// gate says why nothing is looked at, if so, and else what the session was given before and how many memories there are to choose from.
func (r *Recaller) gate(ctx context.Context, from records.RecallSources, request Request) (given records.SessionDelivery, of int, skip Skip, err error) {
	if !Askable(request.Query) {
		return given, 0, SkipShortQuery, nil
	}
	of, given, err = r.store.ToRecall(ctx, from, request.Session)
	switch {
	case err != nil:
		return given, 0, "", err
	case given.Bytes >= SessionBudget:
		return given, 0, SkipSpentBudget, nil
	case of == 0:
		return given, 0, SkipNoMemories, nil
	case of > len(given.Memories):
		return given, of, "", nil
	}
	left, err := r.store.Newest(ctx, from, ids(given.Memories), 1)
	if err == nil && len(left) == 0 {
		skip = SkipAllSeen
	}
	return given, of, skip, err
}

func ids(set map[uuid.UUID]bool) []uuid.UUID {
	all := make([]uuid.UUID, 0, len(set))
	for id := range set {
		all = append(all, id)
	}
	return all
}

// deliver gives what was chosen, as far as the session has not been given it and has room for it, and keeps the record. won says
// that nobody else had handed it out before.
func (r *Recaller) deliver(ctx context.Context, from records.RecallSources, record records.Recall, request Request) (result Result, won bool, err error) {
	chosen := make([]uuid.UUID, len(record.Chosen))
	for i, c := range record.Chosen {
		chosen[i] = c.ID
	}
	var files map[string]records.MemoryExcerpt
	var gone map[string][]memories.CheckedCitation
	if len(chosen) > 0 {
		if files, gone, err = r.store.MemoryExcerpts(ctx, from, chosen, 3*MostBytes); err != nil {
			return Result{}, false, err
		}
	}
	result = resultOf(record)
	now := r.now()
	handOut := func(given records.SessionDelivery) ([]records.DeliveredMemory, error) {
		won, result.Memories, result.BudgetLeft = true, nil, SessionBudget-given.Bytes
		characters := 0
		var out []records.DeliveredMemory
		for _, c := range record.Chosen {
			file, there := files[c.ID.String()]
			if !there || given.Memories[c.ID] {
				continue
			}
			m := recalled(from.Of(file.AgentID), file, gone[file.ID], c.Why, now)
			length := len([]rune(Block(m.Head, m.Text)))
			if m.Bytes > result.BudgetLeft || request.MostText > 0 && characters+length > request.MostText {
				continue
			}
			characters += length
			result.BudgetLeft -= m.Bytes
			result.Memories = append(result.Memories, m)
			out = append(out, records.DeliveredMemory{RecallChoice: c, Name: m.Name, Bytes: m.Bytes})
		}
		return out, nil
	}
	if request.ReadOnly {
		_, err = handOut(records.SessionDelivery{})
	} else {
		err = r.store.Deliver(ctx, record, handOut)
	}
	if err != nil {
		return Result{}, false, err
	}
	return result, won, nil
}

func resultOf(record records.Recall) Result {
	return Result{
		ID: record.ID.String(), SelectedBy: record.SelectedBy, Skipped: Skip(record.Skipped), Note: record.Note,
		Candidates: record.Candidates, BudgetLeft: SessionBudget, Took: record.Took,
	}
}

func recalled(agent records.Agent, file records.MemoryExcerpt, gone []memories.CheckedCitation, why []string, now time.Time) Recalled {
	text, bytes := Cut(file.File)
	path := filepath.Join(agent.Dir, filepath.FromSlash(file.Path))
	age := memories.AgeOf(file.ModifiedAt, now)
	place := path
	if file.Line > 0 {
		place = factPlace(path, file.Line, file.Description)
	}
	file.Body = ""
	return Recalled{
		Memory: file.Memory, Age: age, Why: why, File: path, Head: Gone(gone) + Head(age, place), Warning: Warning(gone, age),
		Text: text, Bytes: bytes,
	}
}

// deleteExpired removes records when they have become old.
func (r *Recaller) deleteExpired() {
	tick := time.NewTicker(housekeeps)
	defer tick.Stop()
	for {
		err := r.store.DeleteOldRecalls(r.ended, r.now().Add(-kept))
		if err != nil && r.ended.Err() == nil {
			r.options.Log.Warn("old records of recalls could not be removed; that is tried again", "error", err)
		}
		select {
		case <-tick.C:
		case <-r.ended.Done():
			return
		}
	}
}

// Refresh notes that a session has lost what it was given, because its conversation was compacted: it may be given all of it again.
func (r *Recaller) Refresh(ctx context.Context, agentID int64, session string) error {
	return r.store.RefreshSession(ctx, agentID, session, r.now())
}
