// Package recall finds the memories that fit a prompt and delivers them: at most five, each once
// per session, within a budget, with a record of the delivery and its reasons. A model or keywords
// choose. The limits and the wording are Claude Code's.
//
// It writes only its own records and no files. The API, the hooks and the MCP endpoint call it.
// RankTexts ranks memories without a database.
package recall

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/fence"
	"memoir/internal/memories"
	"memoir/internal/recall/ranking"
	"memoir/internal/records"
)

// The values of Result.SelectedBy.
const (
	ByModel   = "model"
	ByKeyword = "keyword"
)

// The values of Request.From.
const (
	FromScript = "script"
	FromHook   = "hook"
	FromMCP    = "mcp"
)

// A Selector chooses memories by name and description.
type Selector interface {
	// Select returns the paths of the candidates that certainly help with the query, best first and
	// at most MaxChosen. Paths of no candidate are ignored.
	Select(ctx context.Context, query string, candidates []memories.Memory) (paths []string, err error)
}

// Options configure a Recaller.
type Options struct {
	// Selector chooses memories. If it is nil, keywords choose.
	Selector Selector
	// Patience limits how long the selector may take before keywords choose; 0 means 2 s.
	Patience time.Duration
	// Meaning finds memories by meaning. It is nil without an embedding endpoint.
	Meaning Meaning
	Log     *slog.Logger
}

// Meaning finds memories whose meaning is near the meaning of a query. *embedding.Service implements and
// documents it.
type Meaning interface {
	Nearest(ctx context.Context, from records.RecallSources, query string, most int) (records.NearMemories, error)
}

const (
	defaultTimeout = 2 * time.Second
	// retention is how long a record is kept; old ones are deleted every cleanupInterval.
	retention       = 90 * 24 * time.Hour
	cleanupInterval = time.Hour
	// maxPending is how long a recall may take. A pending one that is older failed with its server.
	maxPending = 30 * time.Second
	// maxQuery is how many bytes of a query a record keeps.
	maxQuery = 4000
	// maxSession is the longest name of a session, in bytes.
	maxSession = 256
	// maxBackground limits how many recalls run in the background at the same time.
	maxBackground = 64
)

// Recaller recalls memories. It is safe for concurrent use.
type Recaller struct {
	store   Store
	options Options
	now     func() time.Time

	stop       context.CancelFunc
	closeCtx   context.Context
	running    sync.WaitGroup
	flights    flights
	prefetches chan struct{}
}

// New returns a Recaller and starts the deletion of old records in the background. The caller must
// call Close.
func New(store Store, options Options) *Recaller {
	if options.Patience == 0 {
		options.Patience = defaultTimeout
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Recaller{store: store, options: options, now: records.Now, stop: stop, closeCtx: ctx, prefetches: make(chan struct{}, maxBackground)}
	r.running.Go(r.deleteExpired)
	return r
}

// Close cancels recalls in the background and the deletion of old records, and waits for their
// end. It does not wait for calls of Recall.
func (r *Recaller) Close() {
	r.stop()
	r.running.Wait()
}

// HasModel reports whether a selector is configured. Then it chooses memories, and keywords only
// if it fails or chooses none.
func (r *Recaller) HasModel() bool { return r.options.Selector != nil }

// Request is a request for memories.
type Request struct {
	Agent string // slug
	Query string
	// Session identifies a conversation. It gets each memory once, and SessionBudget bytes in all.
	// Empty means no conversation: earlier deliveries are unknown.
	Session string
	Limit   int // 1 to MaxChosen; 0 means MaxChosen
	// Deliberate means that someone asks for memories, and so gets the best ones also if they hardly
	// fit; they are Weak. Otherwise memories that do not fit are left out.
	Deliberate bool
	From       string
	// MaxText limits the text of fence.Blocks, in UTF-16 units; 0 means no limit.
	MaxText int
	// ReadOnly means that nothing may be changed: no record is kept, the session is ignored, and no
	// model is called.
	ReadOnly bool

	wordsOnly bool // no model is called
}

// Result is the result of a recall.
type Result struct {
	ID       string
	Pending  bool // it is not complete yet
	Memories []Recalled
	// SelectedBy is ByModel or ByKeyword. It is empty if Skipped has the reason why none chose.
	SelectedBy string
	Skipped    Skip
	// Note is the reason why keywords chose although there is a model, or why chosen memories were
	// left out, or empty.
	Note       string
	Candidates int // number of memories to choose from
	// BudgetLeft is how many more bytes the session may get.
	BudgetLeft int
	Took       time.Duration
}

// Recalled is a delivered memory.
type Recalled struct {
	memories.Memory // without Body
	Age             memories.Age
	Why             []string
	Weak            bool   // it hardly fits the query
	File            string // absolute path of the memory's file
	Head            string
	Warning         string // the warnings in Head, or empty
	Text            string // text of the file, cut
	Bytes           int    // bytes charged to the budget
}

// Blocks returns the text of each memory for a conversation, head included, without the tags around
// it.
func (r Result) Blocks() []string {
	blocks := make([]string, len(r.Memories))
	for i, m := range r.Memories {
		blocks[i] = fence.Block(m.Head, m.Text)
	}
	return blocks
}

// Recall chooses memories for a query and returns them. Unless the request is read-only, it records
// that the session has received them: within RecordDelivered after the response was written, else
// now. A result without memories is no error; Skipped may have the reason. A failed model is no
// error either: keywords choose, and Note reports it. It returns memories.ErrNotFound for an
// unknown agent, *memories.InvalidError for an invalid request, and memories.ErrUnavailable
// without the database.
func (r *Recaller) Recall(ctx context.Context, request Request) (Result, error) {
	from, record, err := r.begin(ctx, &request)
	if err != nil {
		return Result{}, err
	}
	if err := r.choose(ctx, from, &record, request); err != nil {
		return Result{}, err
	}
	return r.deliver(ctx, from, []records.Recall{record}, request)
}

// begin checks a request and sets its defaults in place. It returns the agents whose memories can
// be chosen, the request's agent first, and a new record of the recall, which it does not save. It
// returns *memories.InvalidError for an invalid request, and memories.ErrNotFound for an unknown
// agent.
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
		ID: id, AgentID: agent.ID, At: r.now(), Session: request.Session, AskedBy: request.From, Query: prefixOf(request.Query, maxQuery),
		State: records.RecallPending,
	}, err
}

// choose chooses memories by the model or by keywords. It sets the choice, how it was made, and
// the time it took in record, and saves nothing. If the model fails, keywords choose. If it
// chooses none, keywords choose among memories that match in name or description. If there is a
// reason not to search, it sets only Skipped and the time, and returns nil.
func (r *Recaller) choose(ctx context.Context, from records.RecallSources, record *records.Recall, request Request) error {
	start := time.Now()
	defer func() { record.Took = time.Since(start) }()
	given, total, skip, err := r.gate(ctx, from, request)
	if err != nil || skip != "" {
		record.Skipped = string(skip)
		return err
	}
	isModelEmpty := false
	if r.HasModel() && !request.ReadOnly && !request.wordsOnly {
		err := r.byModel(ctx, from, record, request, given)
		switch {
		case err == nil && len(record.Chosen) == 0:
			isModelEmpty = true
		case err == nil, ctx.Err() != nil, errors.Is(err, memories.ErrUnavailable):
			return err
		default:
			r.options.Log.WarnContext(ctx, "model choice failed, using keywords", "error", err)
			record.Note = "The model did not choose (" + shortReason(err) + "). Keywords chose."
		}
	}
	before := ""
	if request.Session != "" && ranking.RefersBack(request.Query) {
		if before, err = r.store.LastQuery(ctx, from[0].ID, request.Session); err != nil {
			return err
		}
	}
	near := make(chan records.NearMemories, 1)
	go func() { near <- r.byMeaning(ctx, from, request, given.Memories) }()
	_, found, candidates, err := r.byKeyword(ctx, from, total, request, before, given.Memories)
	if err != nil {
		return err
	}
	if isModelEmpty {
		found.Answers = slices.DeleteFunc(found.Answers, func(m ranking.Ranked) bool {
			return !slices.ContainsFunc(m.Matches, func(e ranking.Match) bool { return e.Field.IsSummary() })
		})
		if len(found.Answers) == 0 && !request.Deliberate {
			return nil
		}
		record.Note = "The model chose none. Keywords chose by name and description."
	}
	record.SelectedBy, record.Candidates = ByKeyword, candidates
	for _, c := range fuse(found, <-near) {
		if len(record.Chosen) < request.Limit && (request.Deliberate || !c.Weak) {
			record.Chosen = append(record.Chosen, c)
		}
	}
	return nil
}

// gate returns the memories that the session has received, and the number of memories to choose
// from. If there is a reason not to choose, such as a short query or a spent budget, it returns it
// as skip. Otherwise skip is "".
func (r *Recaller) gate(ctx context.Context, from records.RecallSources, request Request) (given records.SessionDelivery, total int, skip Skip, err error) {
	if !Askable(request.Query) {
		return given, 0, SkipShortQuery, nil
	}
	total, given, err = r.store.ToRecall(ctx, from, request.Session)
	switch {
	case err != nil:
		return given, 0, "", err
	case given.Bytes >= SessionBudget:
		return given, 0, SkipSpentBudget, nil
	case total == 0:
		return given, 0, SkipNoMemories, nil
	case total > len(given.Memories):
		return given, total, "", nil
	}
	left, err := r.store.Newest(ctx, from, slices.Collect(maps.Keys(given.Memories)), 1)
	if err == nil && len(left) == 0 {
		skip = SkipAllSeen
	}
	return given, total, skip, err
}

// deliver returns the memories of several recalls of one session in one result, which is otherwise
// about the first recall. Unless the request is read-only, it hands their deliveries to
// RecordDelivered, or records them. After an error, nothing is recorded.
func (r *Recaller) deliver(ctx context.Context, from records.RecallSources, all []records.Recall, request Request) (Result, error) {
	room := fence.Room(request.MaxText)
	var result Result
	var handed []*delivery
	for i, record := range all {
		one, d, err := r.prepare(ctx, from, record, request, &room)
		if err != nil {
			dropAll(handed)
			return Result{}, err
		}
		if d != nil {
			handed = append(handed, d)
		}
		if i == 0 {
			result = one
			continue
		}
		result.Memories, result.BudgetLeft = append(result.Memories, one.Memories...), min(result.BudgetLeft, one.BudgetLeft)
	}
	if err := hand(ctx, handed); err != nil {
		return Result{}, err
	}
	return result, nil
}

// prepare returns the record's chosen memories that exist and are new to the session. It leaves out
// each that does not fit into the rest of the session's budget or, if request.MaxText is set, into
// room, and subtracts from room what the others take. It returns the delivery to record, or nil if
// the request is read-only. If the record was delivered before, it returns no memories and nil.
func (r *Recaller) prepare(ctx context.Context, from records.RecallSources, record records.Recall, request Request, room *int) (Result, *delivery, error) {
	chosen := make([]uuid.UUID, len(record.Chosen))
	for i, c := range record.Chosen {
		chosen[i] = c.ID
	}
	var files map[string]records.MemoryExcerpt
	var gone map[string][]memories.CheckedCitation
	if len(chosen) > 0 {
		var err error
		if files, gone, err = r.store.MemoryExcerpts(ctx, from, chosen, 3*MaxBytes); err != nil {
			return Result{}, nil, err
		}
	}
	d := &delivery{recaller: r, key: flightKeyOf(record)}
	var given records.SessionDelivery
	if !request.ReadOnly {
		of := r.flights.acquire(d.key)
		defer r.flights.release(d.key, of, nil)
		if err := of.lock(ctx); err != nil {
			return Result{}, nil, err
		}
		defer of.unlock()
		var isDelivered bool
		var err error
		if given, isDelivered, err = r.given(ctx, of, record); err != nil || isDelivered {
			return resultOf(record), nil, err
		}
		d.flight = of
	}
	result := resultOf(record)
	result.BudgetLeft = SessionBudget - given.Bytes
	now, cut := r.now(), 0
	for _, c := range record.Chosen {
		file, exists := files[c.ID.String()]
		if !exists || given.Memories[c.ID] {
			continue
		}
		m := recalled(from.Of(file.AgentID), file, gone[file.ID], c, now)
		length := fence.LengthOfBlock(fence.Block(m.Head, m.Text))
		switch {
		case m.Bytes > result.BudgetLeft:
			continue
		case request.MaxText > 0 && length > *room:
			cut++
			continue
		}
		*room -= length
		result.BudgetLeft -= m.Bytes
		result.Memories = append(result.Memories, m)
		d.items = append(d.items, records.DeliveredMemory{RecallChoice: c, Name: m.Name, Bytes: m.Bytes})
	}
	if cut > 0 {
		record.Note = strings.TrimSpace(record.Note + " " + cutNote(cut, request.MaxText))
		result.Note = record.Note
	}
	if request.ReadOnly {
		return result, nil, nil
	}
	d.record = record
	r.flights.add(d.flight, d)
	return result, d, nil
}

// cutNote returns the sentence for a recall that left out n chosen memories because of
// Request.MaxText.
func cutNote(n, limit int) string {
	which := "1 chosen memory was"
	if n > 1 {
		which = fmt.Sprintf("%d chosen memories were", n)
	}
	return fmt.Sprintf("%s not given: an answer has at most %d characters.", which, limit)
}

// given returns the memories that the record's session has received or is about to receive from
// this server. isDelivered reports whether the record itself is among those.
func (r *Recaller) given(ctx context.Context, of *flight, record records.Recall) (given records.SessionDelivery, isDelivered bool, err error) {
	if record.State == records.RecallSettled {
		known, err := r.store.RecallByID(ctx, record.AgentID, record.ID.String())
		if err != nil || known.State == records.RecallDelivered {
			return given, true, err
		}
	}
	if record.Session != "" {
		if given, err = r.store.Delivered(ctx, record.AgentID, record.Session); err != nil {
			return given, false, err
		}
	}
	given, isDelivered = of.with(given, record.ID)
	return given, isDelivered, nil
}

func resultOf(record records.Recall) Result {
	return Result{
		ID: record.ID.String(), SelectedBy: record.SelectedBy, Skipped: Skip(record.Skipped), Note: record.Note,
		Candidates: record.Candidates, BudgetLeft: SessionBudget, Took: record.Took,
	}
}

// recalled returns a memory for delivery: its cut text, its age, the reasons, and a head. The head
// has the path and warnings about dead citations and its age.
func recalled(agent records.Agent, file records.MemoryExcerpt, gone []memories.CheckedCitation, c records.RecallChoice, now time.Time) Recalled {
	text, bytes := Cut(file.File)
	path := filepath.Join(agent.Dir, filepath.FromSlash(file.Path))
	age := memories.AgeOf(file.ModifiedAt, now)
	location := path
	if file.Line > 0 {
		location = factPlace(path, file.Line, file.Description)
	}
	file.Body = ""
	return Recalled{
		Memory: file.Memory, Age: age, Why: c.Why, Weak: c.Weak, File: path, Head: WeakNote(c.Weak) + Gone(gone) + Head(age, location), Warning: Warning(gone, age),
		Text: text, Bytes: bytes,
	}
}

// deleteExpired deletes records older than retention, at once and then every cleanupInterval, until
// Close. It logs errors.
func (r *Recaller) deleteExpired() {
	tick := time.NewTicker(cleanupInterval)
	defer tick.Stop()
	for {
		err := r.store.DeleteOldRecalls(r.closeCtx, r.now().Add(-retention))
		if err != nil && r.closeCtx.Err() == nil {
			r.options.Log.Warn("deletion of old recall records failed, will retry", "error", err)
		}
		select {
		case <-tick.C:
		case <-r.closeCtx.Done():
			return
		}
	}
}

// Store is the database of a Recaller. *postgres.Store implements and documents it.
type Store interface {
	records.RecallCandidates

	RecallByID(ctx context.Context, agentID int64, id string) (records.Recall, error)
	SettledRecalls(ctx context.Context, agentID int64, session string, since time.Time) ([]uuid.UUID, error)
	Delivered(ctx context.Context, agentID int64, session string) (records.SessionDelivery, error)
	LastQuery(ctx context.Context, agentID int64, session string) (string, error)

	SaveRecall(ctx context.Context, r records.Recall) error
	Deliver(ctx context.Context, r records.Recall, choose func(records.SessionDelivery) ([]records.DeliveredMemory, error)) error
	RefreshSession(ctx context.Context, agentID int64, session string, at time.Time) error
	DeleteOldRecalls(ctx context.Context, before time.Time) error
}
