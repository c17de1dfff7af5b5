// Package review finds what is wrong with memories, keeps it as a queue of items for a person, and
// carries out decisions. Package findings and those below it say what is wrong with texts; this
// package adds what files and the database know, and examines agents in the background.
package review

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"memoir/internal/agents"
	"memoir/internal/background"
	"memoir/internal/findings"
	"memoir/internal/findings/links"
	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
)

// Options configures a Reviewer. Zero fields mean the defaults.
type Options struct {
	// Settle is how long changes are collected before an examination. The default is 2 s.
	Settle time.Duration
	// Off are the kinds that are not looked for.
	Off []findings.Kind
	// Suggestions and Plans carry out decisions about suggestions and steps of plans. If one is nil,
	// these decisions fail with *memories.ConflictError.
	Suggestions SuggestionDecider
	Plans       StepApplier
	// Model judges pairs of memories and doubtful findings. If it or Queue is nil, rules alone do.
	Model model.Model
	// DailyTokens is how many tokens of the model may be used on a day (UTC). Zero means no limit.
	DailyTokens int64
	// Queue runs the questions to the model. The caller starts it after the Reviewer, and closes it
	// before. Its Options.Changed must send an event, so that the answers are taken up.
	Queue *jobs.Queue
	Log   *slog.Logger
}

// SuggestionDecider decides about memories that were proposed from conversations. etag is that of the
// proposal; empty means any. The errors are those of extraction.Extractor.
type SuggestionDecider interface {
	Accept(ctx context.Context, slug, id, etag string) (engine.Result, error)
	Refuse(ctx context.Context, slug, id, etag string) error
}

// StepApplier applies steps of consolidation plans, and undoes them. The errors are those of
// consolidation.Consolidator.
type StepApplier interface {
	Apply(ctx context.Context, slug, step string) error
	Undo(ctx context.Context, slug, step string) error
}

// DefaultDailyTokens is the usual value of Options.DailyTokens (arbitrary): some 500 pairs.
const DefaultDailyTokens = 200_000

const (
	defaultSettle = 2 * time.Second
	// every is the time after which an unchanged agent is examined again, because dates pass and
	// memories age.
	every = 24 * time.Hour
	// round is the time between two searches for agents to examine.
	round = 10 * time.Minute
	// maxItems is the maximum number of items of an agent. The others follow when these are decided.
	// It is arbitrary: nobody decides more in a week.
	maxItems = 10_000
	// share limits the examinations of one agent to 1/share of the time (arbitrary).
	share = 10
	// maxRest is the longest rest between two agents. It is arbitrary: another agent does not wait long
	// for a large one.
	maxRest = 5 * time.Second
)

// Reviewer examines agents in the background, one at a time and only those whose lease this server
// holds. Its methods are safe for concurrent use.
type Reviewer struct {
	engine  *engine.Engine
	store   Store
	options Options
	off     map[findings.Kind]bool
	worker  *background.Worker
	judge   *judge

	mu       sync.Mutex
	due      map[string]bool      // agents with an event since their last examination began
	blocked  map[string]time.Time // when an agent may be examined again
	deciding map[string]bool      // items that are being decided
}

// Store is the database of a Reviewer. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.AllMemories
	records.Plans
	records.Proposals
	records.Review
	records.Jobs

	EachReviewText(ctx context.Context, agentID int64, since time.Time, each func(records.ReviewText) error) error
	ReviewTexts(ctx context.Context, agentID int64, since time.Time, ids []string) ([]records.ReviewText, error)
	ReviewPaths(ctx context.Context, agentID int64) ([]string, error)
	ReviewOutdated(ctx context.Context, before, now time.Time) ([]string, error)
	SaveReview(ctx context.Context, agentID, version int64, at time.Time, items []records.ReviewItem) (saved bool, err error)
	SettleReview(ctx context.Context, agentID int64, isOpen bool, decisions ...records.ReviewDecision) error
	AddReviewItem(ctx context.Context, item records.ReviewItem) error
	ReopenReview(ctx context.Context, agentID int64, at time.Time, items ...string) error
	Blocked(ctx context.Context, agentID int64) ([]memories.Blocked, error)
	DeletionConflicts(ctx context.Context, agentID int64) ([]records.DeletionConflict, error)
	ReopenDeletionConflict(ctx context.Context, agentID int64, c records.DeletionConflict) error
	Versions(ctx context.Context, m memories.Memory) ([]records.Version, error)
	ReopenProposal(ctx context.Context, agentID int64, id string) error

	TokensOfKind(ctx context.Context, kind string, since time.Time) (int64, error)
	ReviewVerdicts(ctx context.Context, agentID int64) ([]records.ReviewVerdict, error)
	SaveReviewQuestions(ctx context.Context, agentID int64, questions []records.ReviewQuestion) error
	ReviewQuestions(ctx context.Context, agentID int64, pairs bool, most int) ([]records.ReviewQuestion, error)
	DeleteReviewQuestions(ctx context.Context, ids []string) error
	SaveReviewVerdicts(ctx context.Context, agentID int64, verdicts []records.ReviewVerdict, at time.Time) error
}

// Start returns a Reviewer and starts its examinations. They begin when the engine is ready. The
// caller must call Close before closing the engine.
func Start(e *engine.Engine, store Store, options Options) *Reviewer {
	options.Settle = cmp.Or(options.Settle, defaultSettle)
	r := &Reviewer{
		engine: e, store: store, options: options, off: map[findings.Kind]bool{}, judge: newJudge(e, store, options),
		due: map[string]bool{}, blocked: map[string]time.Time{}, deciding: map[string]bool{},
	}
	for _, k := range options.Off {
		r.off[k] = true
	}
	r.worker = background.New(background.Work{
		Engine: e, Settle: options.Settle, Every: round, Do: r.examineDue, Log: options.Log, Failed: "review not updated, will retry",
		Changed: r.request,
		Round:   func() {}, // the database names what is due
	})
	r.worker.Start()
	return r
}

// Close cancels the running examination, without saving its result, and waits for its end.
func (r *Reviewer) Close() {
	r.worker.Close()
}

// request makes an agent due and wakes the worker. The empty slug wakes it only.
func (r *Reviewer) request(slug string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slug != "" {
		r.due[slug] = true
	}
	r.worker.Wake()
}

// examineDue examines the agents that are due: those with an event, and those that the database
// names. An agent that was examined a short time ago stays due. It returns the last error.
func (r *Reviewer) examineDue(ctx context.Context) error {
	now := time.Now()
	outdated, err := r.store.ReviewOutdated(ctx, now.Add(-every), now)
	if err != nil {
		return err
	}
	r.mu.Lock()
	for _, slug := range outdated {
		r.due[slug] = true
	}
	var slugs []string
	next := time.Duration(0)
	for slug := range r.due {
		if wait := time.Until(r.blocked[slug]); wait > 0 {
			if next == 0 || wait < next {
				next = wait
			}
			continue
		}
		delete(r.due, slug)
		delete(r.blocked, slug)
		slugs = append(slugs, slug)
	}
	r.mu.Unlock()
	if next > 0 {
		time.AfterFunc(next, r.worker.Wake)
	}
	var failed error
	for _, slug := range slugs {
		if ctx.Err() != nil {
			return nil
		}
		if !r.engine.HoldsLease(slug) {
			continue // the agent's server receives the same event
		}
		started := time.Now()
		if err := r.Examine(ctx, slug); err != nil && !errors.Is(err, memories.ErrNotFound) {
			failed = err
			r.request(slug)
		}
		took := time.Since(started)
		r.mu.Lock()
		r.blocked[slug] = time.Now().Add((share - 1) * took)
		r.mu.Unlock()
		// More than half of the time, the processors are free for requests.
		background.Pause(ctx, min(5*took/4, maxRest))
	}
	return failed
}

// Examine brings the items of an agent up to date. If the agent's memories change meanwhile, it
// saves nothing and makes the agent due again. It fails with memories.ErrNotFound for an unknown
// slug, and with memories.ErrUnavailable.
func (r *Reviewer) Examine(ctx context.Context, slug string) error {
	agent, err := r.store.AgentUncounted(ctx, slug)
	if err != nil || agent.JoinedTo != "" || !agent.Present {
		return err
	}
	at := records.Now()
	asks, err := r.judge.asks(ctx, agent)
	if err != nil {
		return err
	}
	items, questions, err := r.examine(ctx, agent, at, asks == asksNow)
	if err != nil {
		return err
	}
	saved, err := r.store.SaveReview(ctx, agent.ID, agent.ClaudeMD.Version, at, items)
	if err == nil && !saved {
		r.request(slug)
	}
	if saved {
		r.engine.Emit(slug, events.Reviewed)
		err = r.judge.schedule(ctx, agent, asks, questions)
	}
	return err
}

// examine returns the open items of an agent, and with asks the questions for the model.
func (r *Reviewer) examine(ctx context.Context, agent records.Agent, at time.Time, asks bool) (items []records.ReviewItem, questions []records.ReviewQuestion, err error) {
	targets, err := r.targets(ctx, agent)
	if err != nil {
		return nil, nil, err
	}
	x, since := newExamination(agent, at, r.off, targets), at.AddDate(0, 0, -recallDays)
	if asks {
		x.contents = map[string]findings.Content{}
	}
	if x.verdicts, err = r.store.ReviewVerdicts(ctx, agent.ID); err != nil {
		return nil, nil, err
	}
	err = r.store.EachReviewText(ctx, agent.ID, since, func(t records.ReviewText) error {
		x.memory(t)
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	x.missingItem()
	if err := r.conflicts(ctx, x); err != nil {
		return nil, nil, err
	}
	load := func(ctx context.Context, ids []string) ([]records.ReviewText, error) {
		return r.store.ReviewTexts(ctx, agent.ID, since, ids)
	}
	decided := func(ctx context.Context, ids []string) (map[string]bool, error) { return r.decided(ctx, ids, at) }
	if err := x.pairItems(ctx, load, decided); err != nil {
		return nil, nil, err
	}
	if err := r.deletions(ctx, x, load); err != nil {
		return nil, nil, err
	}
	if err := r.others(ctx, x); err != nil {
		return nil, nil, err
	}
	x.judgeItems()
	if items, err = r.open(ctx, x.items, at); err != nil || !asks {
		return items, nil, err
	}
	questions, err = x.openQuestions(ctx, items, decided)
	return items, questions, err
}

// conflicts adds the items about memories whose files have different contents. Their Subject has
// the fingerprints of the contents, in the order of keep_1 and so on.
func (r *Reviewer) conflicts(ctx context.Context, x *examination) error {
	for _, t := range x.conflicting {
		versions, err := r.store.Versions(ctx, t.Memory)
		if err != nil {
			return err
		}
		if len(versions) > maxSides {
			versions = versions[:maxSides]
		}
		contents, names := make([]findings.Content, len(versions)), make([]string, len(versions))
		for i, v := range versions {
			contents[i], names[i] = findings.Content{Name: t.Name, Fingerprint: v.Fingerprint}, hex.EncodeToString(v.Fingerprint[:])
		}
		id := findings.ItemID(findings.Conflict, x.agent.Slug, contents...)
		x.add(records.ReviewItem{ID: id, Kind: findings.Conflict, Reason: conflictReasons[t.Conflict], Subject: strings.Join(names, ",")}, t)
	}
	return nil
}

// deletions adds the items about memories that one machine has deleted and another one has changed.
func (r *Reviewer) deletions(ctx context.Context, x *examination, load loader) error {
	conflicts, err := r.store.DeletionConflicts(ctx, x.agent.ID)
	if err != nil || len(conflicts) == 0 {
		return err
	}
	ids, isDeleted := make([]string, len(conflicts)), map[string]bool{}
	for i, c := range conflicts {
		ids[i] = c.MemoryID.String()
		isDeleted[ids[i]] = c.Deleted
	}
	texts, err := load(ctx, ids)
	for _, t := range texts {
		reason := "Changed here, deleted elsewhere"
		if isDeleted[t.ID] {
			reason = "Deleted here, changed elsewhere"
		}
		x.add(records.ReviewItem{Kind: findings.Deletion, Reason: reason}, t)
	}
	return err
}

// maxSides is the number of contents of one memory that an item offers to keep (arbitrary).
const maxSides = 9

// targets returns what the agent's memories can link to.
func (r *Reviewer) targets(ctx context.Context, agent records.Agent) (links.Targets, error) {
	paths, err := r.store.ReviewPaths(ctx, agent.ID)
	if err != nil {
		return links.Targets{}, err
	}
	files := make(map[string]bool, len(paths))
	for _, path := range paths {
		files[path] = true
	}
	forgotten, err := r.store.ForgottenNames(ctx, agent.ID)
	return links.Targets{
		HasFile:   func(path string) bool { return files[path] || agents.IsIndexPath(path) },
		IsDeleted: func(name string) bool { now, had := forgotten[name]; return had && now == "" },
	}, err
}

// others adds the items that do not come from memories: the index, blocked contents, suggestions
// and steps of the plan.
func (r *Reviewer) others(ctx context.Context, x *examination) error {
	index, err := r.engine.Index(ctx, x.agent.Slug)
	var unreadable *memories.ConflictError
	if err == nil {
		x.indexItems(index)
	} else if !errors.As(err, &unreadable) {
		return err
	}
	blocked, err := r.store.Blocked(ctx, x.agent.ID)
	if err != nil {
		return err
	}
	for _, b := range blocked {
		x.other(findings.Blocked, b.ID, "Deleted before, back on disk")
	}
	for cursor := ""; ; {
		page, err := r.store.Proposals(ctx, x.agent.ID, records.ProposalWaiting, records.MaxLimit, cursor)
		if err != nil {
			return err
		}
		for _, p := range page.Proposals {
			x.other(findings.Suggestion, p.ID.String(), "From a conversation, "+p.ProposedAt.Format("2 January"))
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	plan, err := r.store.Consolidation(ctx, x.agent.ID)
	if err == nil {
		x.planItems(plan)
	} else if !errors.Is(err, memories.ErrNotFound) {
		return err
	}
	return nil
}

// decided returns which of the items have a decision that holds at a time.
func (r *Reviewer) decided(ctx context.Context, ids []string, at time.Time) (map[string]bool, error) {
	holds := map[string]bool{}
	decisions, err := r.store.ReviewDecisions(ctx, ids)
	for id, d := range decisions {
		holds[id] = d.Holds(at)
	}
	return holds, err
}

// open returns the items without a decision that holds, each once: the first maxItems of the queue.
func (r *Reviewer) open(ctx context.Context, items []records.ReviewItem, at time.Time) ([]records.ReviewItem, error) {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	decided, err := r.decided(ctx, ids, at)
	if err != nil {
		return nil, err
	}
	kept := items[:0]
	for _, item := range items {
		if !decided[item.ID] {
			kept, decided[item.ID] = append(kept, item), true
		}
	}
	if len(kept) > maxItems {
		slices.SortStableFunc(kept, func(a, b records.ReviewItem) int {
			return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(b.Weight, a.Weight))
		})
		kept = kept[:maxItems]
	}
	return kept, nil
}
