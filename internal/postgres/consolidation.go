package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Consolidation is a plan for tidying an agent's memories up.
type Consolidation struct {
	ID       uuid.UUID
	MadeAt   time.Time
	MadeBy   memories.Actor
	Closed   bool   // discarded, or followed by another
	Memories int    // how many were looked at
	Model    string // that was asked; empty: none
	Note     string // what there is to say of the asking, for people
	// InputTokens and OutputTokens are what asking the model took.
	InputTokens, OutputTokens int
	// CharsBefore and CharsAfter are the length of the whole CLAUDE.md, in Unicode characters, without and with all steps.
	CharsBefore, CharsAfter int
	Findings                []ConsolidationFinding
	Steps                   []ConsolidationStep // in the order in which they are applied
}

// ConsolidationFinding is something that only a person can decide about.
type ConsolidationFinding struct {
	Memory string `json:"memory"` // its id; empty: it is about the index
	Name   string `json:"name"`
	Text   string `json:"text"` // a sentence for people
}

// ConsolidationState is what has become of a step.
type ConsolidationState string

// The states of a step.
const (
	StepProposed ConsolidationState = "proposed"
	StepChosen   ConsolidationState = "chosen" // decided, and being carried out
	StepApplied  ConsolidationState = "applied"
	StepRefused  ConsolidationState = "refused" // what it was about is not any more what it was
	StepUndoing  ConsolidationState = "undoing"
	StepUndone   ConsolidationState = "undone"
)

// ConsolidationStep is one thing that can be done, as a whole.
type ConsolidationStep struct {
	ID     uuid.UUID
	PlanID uuid.UUID
	Place  int
	Kind   string // merge, update, delete, reindex
	Source string // found, by rules; or by the model
	Title  string // one line for people
	Reason string
	State  ConsolidationState
	// Problem says why it was not applied, or could not be undone.
	Problem                 string
	Changes                 []ConsolidationChange // in the order in which they are made
	CharsBefore, CharsAfter int                   // of CLAUDE.md, as of the plan, with this step alone
	Actor                   memories.Actor        // who has chosen it; empty: nobody yet
	AppliedAt, UndoneAt     time.Time
}

// What becomes of what a change is about.
const (
	ChangeWrite  = "write"
	ChangeDelete = "delete"
	ChangeIndex  = "index"
)

// ConsolidationChange is what a step makes of one memory, or of the index. The JSON is how the database keeps it.
type ConsolidationChange struct {
	Op     string `json:"op"`
	Memory string `json:"memory,omitempty"` // its id
	Name   string `json:"name"`             // of the memory; of an index its path, relative to the durable directory
	// Seen is the ETag of what the plan was made for; of an index the hash of its bytes.
	Seen   string             `json:"seen"`
	Before *ConsolidationText `json:"before"`
	After  *ConsolidationText `json:"after"` // nil: it is deleted
	Done   bool               `json:"done"`
	// Doing is committed before the change is begun: after a crash, only then what it says may be what the change has made.
	Doing bool `json:"doing,omitempty"`
}

// ConsolidationText is what a memory says; of an index the body alone.
type ConsolidationText struct {
	Type        memories.Type `json:"type,omitempty"`
	Description string        `json:"description,omitempty"`
	Body        string        `json:"body"`
}

// ErrConsolidating says that somebody else consolidates the agent's memories at the moment, on this server or another.
var ErrConsolidating = &memories.ConflictError{Reason: "These memories are being consolidated at the moment. Nothing was changed. Try again when that is done."}

// WithConsolidation runs do while nobody else, on any server, consolidates the agent. It fails with ErrConsolidating at once where
// somebody does. The caller bounds how many run at once: each holds a connection.
func (s *Store) WithConsolidation(ctx context.Context, agentID int64, do func() error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return wrap("acquire a connection", err)
	}
	defer conn.Release()
	q := queries.New(conn)
	locked, err := q.TryLockConsolidation(ctx, int32(agentID))
	if err != nil {
		return wrap("lock the consolidation", err)
	}
	if !locked {
		return ErrConsolidating
	}
	defer func() {
		// A connection that cannot unlock is closed, and the lock goes with it.
		if err := q.UnlockConsolidation(context.WithoutCancel(ctx), int32(agentID)); err != nil {
			conn.Conn().PgConn().Conn().Close() //nolint:errcheck // closing is all that can be done
		}
	}()
	return do()
}

// undoable is how long steps are kept, so that they can be undone.
const undoable = 90 * 24 * time.Hour

// SaveConsolidation makes a plan the agent's, in place of the one before.
func (s *Store) SaveConsolidation(ctx context.Context, agentID int64, c Consolidation) error {
	findings, err := json.Marshal(append([]ConsolidationFinding{}, c.Findings...))
	if err != nil {
		return wrap("save a plan", err)
	}
	steps := make([]queries.InsertConsolidationStepParams, len(c.Steps))
	for i, step := range c.Steps {
		changes, err := json.Marshal(step.Changes)
		if err != nil {
			return wrap("save a plan", err)
		}
		steps[i] = queries.InsertConsolidationStepParams{
			ID: step.ID, PlanID: c.ID, AgentID: agentID, Place: int32(i), Kind: step.Kind, Source: step.Source, Title: step.Title, Reason: step.Reason,
			State: string(StepProposed), Changes: changes, CharsBefore: int32(step.CharsBefore), CharsAfter: int32(step.CharsAfter),
		}
	}
	return wrap("save a plan", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if err := closeConsolidation(ctx, q, agentID, c.MadeAt); err != nil {
			return err
		}
		err := q.InsertConsolidation(ctx, queries.InsertConsolidationParams{
			ID: c.ID, AgentID: agentID, MadeAt: c.MadeAt, MadeBy: string(c.MadeBy), Memories: int32(c.Memories), Model: optional(c.Model), Note: c.Note,
			InputTokens: int32(c.InputTokens), OutputTokens: int32(c.OutputTokens), CharsBefore: int32(c.CharsBefore), CharsAfter: int32(c.CharsAfter),
			Findings: findings,
		})
		if err != nil {
			return err
		}
		q.InsertConsolidationStep(ctx, steps).Exec(func(_ int, failed error) { err = errors.Join(err, failed) })
		return err
	}))
}

func closeConsolidation(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) error {
	if _, err := q.CloseConsolidation(ctx, queries.CloseConsolidationParams{AgentID: agentID, ClosedAt: &at}); err != nil {
		return err
	}
	before := at.Add(-undoable)
	if err := q.ForgetConsolidationSteps(ctx, queries.ForgetConsolidationStepsParams{AgentID: agentID, Before: &before}); err != nil {
		return err
	}
	return q.ForgetConsolidations(ctx, queries.ForgetConsolidationsParams{AgentID: agentID, Before: &before})
}

// DiscardConsolidation takes the agent's plan away. What was applied of it can still be undone. It fails with memories.ErrNotFound
// where there is none.
func (s *Store) DiscardConsolidation(ctx context.Context, agentID int64) error {
	return wrap("discard a plan", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if _, err := q.OpenConsolidation(ctx, agentID); err != nil {
			return err
		}
		return closeConsolidation(ctx, q, agentID, Now())
	}))
}

// Consolidation returns the agent's plan. It fails with memories.ErrNotFound where there is none.
func (s *Store) Consolidation(ctx context.Context, agentID int64) (Consolidation, error) {
	row, err := s.q.OpenConsolidation(ctx, agentID)
	if err != nil {
		return Consolidation{}, wrap("read the plan", err)
	}
	c, err := consolidationOf(row)
	if err != nil {
		return c, wrap("read the plan", err)
	}
	steps, err := s.q.ConsolidationSteps(ctx, c.ID)
	if err != nil {
		return c, wrap("read the plan", err)
	}
	c.Steps, err = stepsOf(steps)
	return c, wrap("read the plan", err)
}

// LastConsolidation returns the plan that was made last, closed or not, without its steps. It fails with memories.ErrNotFound where
// there was none.
func (s *Store) LastConsolidation(ctx context.Context, agentID int64) (Consolidation, error) {
	row, err := s.q.LastConsolidation(ctx, agentID)
	if err != nil {
		return Consolidation{}, wrap("read the last plan", err)
	}
	c, err := consolidationOf(row)
	return c, wrap("read the last plan", err)
}

// ConsolidationStep returns one step of any plan of the agent. It fails with memories.ErrNotFound.
func (s *Store) ConsolidationStep(ctx context.Context, agentID int64, id string) (ConsolidationStep, error) {
	parsed, err := parseID(id)
	if err != nil {
		return ConsolidationStep{}, err
	}
	row, err := s.q.ConsolidationStep(ctx, queries.ConsolidationStepParams{AgentID: agentID, ID: parsed})
	if err != nil {
		return ConsolidationStep{}, wrap("read a step", err)
	}
	step, err := stepOf(row)
	return step, wrap("read a step", err)
}

// AppliedSteps returns the steps that were applied last, newest first, with those that were undone since.
func (s *Store) AppliedSteps(ctx context.Context, agentID int64, most int) ([]ConsolidationStep, error) {
	rows, err := s.q.AppliedConsolidationSteps(ctx, queries.AppliedConsolidationStepsParams{AgentID: agentID, Most: int32(most)})
	if err != nil {
		return nil, wrap("read applied steps", err)
	}
	steps, err := stepsOf(rows)
	return steps, wrap("read applied steps", err)
}

// UnfinishedSteps returns the steps of an agent that are decided and not done, in order.
func (s *Store) UnfinishedSteps(ctx context.Context, agentID int64) ([]ConsolidationStep, error) {
	rows, err := s.q.UnfinishedConsolidationSteps(ctx, agentID)
	if err != nil {
		return nil, wrap("read unfinished steps", err)
	}
	steps, err := stepsOf(rows)
	return steps, wrap("read unfinished steps", err)
}

// AgentsConsolidating returns the slugs of the agents with steps that are decided and not done.
func (s *Store) AgentsConsolidating(ctx context.Context) ([]string, error) {
	slugs, err := s.q.AgentsConsolidating(ctx)
	return slugs, wrap("read who consolidates", err)
}

// ChooseSteps commits that steps which are still proposed are to be applied.
func (s *Store) ChooseSteps(ctx context.Context, agentID int64, ids []uuid.UUID, actor memories.Actor) error {
	_, err := s.q.ChooseConsolidationSteps(ctx, queries.ChooseConsolidationStepsParams{AgentID: agentID, Ids: ids, Actor: string(actor)})
	return wrap("choose steps", err)
}

// SaveStep keeps what has become of a step.
func (s *Store) SaveStep(ctx context.Context, step ConsolidationStep) error {
	changes, err := json.Marshal(step.Changes)
	if err != nil {
		return wrap("save a step", err)
	}
	return wrap("save a step", s.q.SaveConsolidationStep(ctx, queries.SaveConsolidationStepParams{
		ID: step.ID, State: string(step.State), Problem: step.Problem, Changes: changes, AppliedAt: timeOrNull(step.AppliedAt), UndoneAt: timeOrNull(step.UndoneAt),
	}))
}

// LookAtConsolidation notes a look at whether the agent is due, unless there was one after the given time; then it returns false.
func (s *Store) LookAtConsolidation(ctx context.Context, agentID int64, at, unlessAfter time.Time) (bool, error) {
	n, err := s.q.LookAtConsolidation(ctx, queries.LookAtConsolidationParams{AgentID: agentID, LookedAt: at, Since: unlessAfter})
	return n > 0, wrap("note a look", err)
}

// ConsolidationLook returns when somebody looked last whether the agent is due; zero: never.
func (s *Store) ConsolidationLook(ctx context.Context, agentID int64) (time.Time, error) {
	at, err := s.q.ConsolidationLook(ctx, agentID)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	return at.UTC(), wrap("read the last look", err)
}

// Superseded is a memory that says what another one has said before and says no more.
type Superseded struct {
	ID, By string // memories
	SaidAt time.Time
}

// SupersededMemories returns the agent's memories of at least so many characters that another one has left behind.
func (s *Store) SupersededMemories(ctx context.Context, agentID int64, shortest int) ([]Superseded, error) {
	rows, err := s.q.SupersededBy(ctx, queries.SupersededByParams{AgentID: agentID, Shortest: int32(shortest)})
	found := make([]Superseded, len(rows))
	for i, row := range rows {
		found[i] = Superseded{row.ID.String(), row.ByID.String(), row.SaidAt.UTC()}
	}
	return found, wrap("read superseded memories", err)
}

// ForgottenNames returns the names that memories had once and none has now, with the name that each was given instead; empty: it was
// deleted.
func (s *Store) ForgottenNames(ctx context.Context, agentID int64) (map[string]string, error) {
	rows, err := s.q.ForgottenNames(ctx, agentID)
	names := make(map[string]string, len(rows))
	for _, row := range rows {
		names[row.Name] = text(row.Renamed)
	}
	return names, wrap("read forgotten names", err)
}

// EachActive calls each with every active memory of the agent that could be read, by name, without its files. The team's are left
// out: what others share is theirs to tidy.
func (s *Store) EachActive(ctx context.Context, agent Agent, each func(memories.Memory) error) error {
	rows, err := s.pool.Query(ctx, `SELECT m.id, m.name, m.type, r.description, r.body, m.path, m.session, m.hash, m.fingerprint, m.modified_at,
		m.content_at, m.created_at
		FROM memories m JOIN revisions r ON r.id = m.revision_id
		WHERE m.agent_id = $1 AND m.state = 'active' AND m.readable AND NOT m.team ORDER BY m.name`, agent.ID)
	if err != nil {
		return wrap("read memories", err)
	}
	defer rows.Close()
	for rows.Next() {
		m := memories.Memory{AgentID: agent.ID, Agent: agent.Slug, Readable: true, State: memories.Active}
		var id uuid.UUID
		var t, session *string
		var fingerprint []byte
		if err := rows.Scan(&id, &m.Name, &t, &m.Description, &m.Body, &m.Path, &session, &m.Hash, &fingerprint, &m.ModifiedAt, &m.ContentAt, &m.CreatedAt); err != nil {
			return wrap("read memories", err)
		}
		m.ID, m.Type, m.Session = id.String(), memories.Type(text(t)), text(session)
		copy(m.Fingerprint[:], fingerprint)
		if err := each(m); err != nil {
			return err
		}
	}
	return wrap("read memories", rows.Err())
}

func consolidationOf(row queries.Consolidation) (Consolidation, error) {
	c := Consolidation{
		ID: row.ID, MadeAt: row.MadeAt.UTC(), MadeBy: memories.Actor(row.MadeBy), Closed: row.ClosedAt != nil, Memories: int(row.Memories), Model: text(row.Model), Note: row.Note,
		InputTokens: int(row.InputTokens), OutputTokens: int(row.OutputTokens), CharsBefore: int(row.CharsBefore), CharsAfter: int(row.CharsAfter),
	}
	return c, json.Unmarshal(row.Findings, &c.Findings)
}

func stepsOf(rows []queries.ConsolidationStep) ([]ConsolidationStep, error) {
	steps := make([]ConsolidationStep, len(rows))
	for i, row := range rows {
		var err error
		if steps[i], err = stepOf(row); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func stepOf(row queries.ConsolidationStep) (ConsolidationStep, error) {
	step := ConsolidationStep{
		ID: row.ID, PlanID: row.PlanID, Place: int(row.Place), Kind: row.Kind, Source: row.Source, Title: row.Title, Reason: row.Reason,
		State: ConsolidationState(row.State), Problem: row.Problem, CharsBefore: int(row.CharsBefore), CharsAfter: int(row.CharsAfter),
		Actor: memories.Actor(row.Actor), AppliedAt: moment(row.AppliedAt), UndoneAt: moment(row.UndoneAt),
	}
	return step, json.Unmarshal(row.Changes, &step.Changes)
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
