package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// WithConsolidation calls do while it holds the agent's consolidation lock, and returns the error
// of do. One caller on all servers can hold the lock. If it is held, WithConsolidation fails at
// once with records.ErrConsolidating, and does not call do. Each call uses a connection of the pool
// until do returns, so the caller must limit concurrency.
func (s *Store) WithConsolidation(ctx context.Context, agentID int64, do func() error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return dberr.Wrap("acquire a connection", err)
	}
	defer conn.Release()
	q := queries.New(conn)
	locked, err := q.TryLockConsolidation(ctx, int32(agentID))
	if err != nil {
		return dberr.Wrap("lock the consolidation", err)
	}
	if !locked {
		return records.ErrConsolidating
	}
	defer func() {
		// A connection that cannot unlock is closed, and the lock goes with it.
		if err := q.UnlockConsolidation(context.WithoutCancel(ctx), int32(agentID)); err != nil {
			conn.Conn().PgConn().Conn().Close() //nolint:errcheck // closing is all that can be done
		}
	}()
	return do()
}

// undoable is how long applied steps are kept, so that they can be undone. It is arbitrary.
const undoable = 90 * 24 * time.Hour

// SaveConsolidation saves a plan as the agent's current plan, with its steps, all in the state
// proposed. In the same transaction it closes the previous plan and deletes its unapplied steps,
// unless they are in progress. It also deletes steps applied over 90 days ago, and plans without
// steps that were closed over 90 days ago.
func (s *Store) SaveConsolidation(ctx context.Context, agentID int64, c records.Plan) error {
	findings, err := dbconv.ListJSON(c.Findings)
	if err != nil {
		return dberr.Wrap("save a plan", err)
	}
	steps := make([]queries.InsertConsolidationStepParams, len(c.Steps))
	for i, step := range c.Steps {
		changes, err := json.Marshal(step.Changes)
		if err != nil {
			return dberr.Wrap("save a plan", err)
		}
		steps[i] = queries.InsertConsolidationStepParams{
			ID: step.ID, PlanID: c.ID, AgentID: agentID, Place: int32(i), Kind: step.Kind, Source: step.Source, Title: step.Title, Reason: step.Reason,
			State: string(records.StepProposed), Changes: changes, CharsBefore: int32(step.CharsBefore), CharsAfter: int32(step.CharsAfter),
		}
	}
	return s.inTx(ctx, "save a plan", func(q *queries.Queries) error {
		if err := closePlan(ctx, q, agentID, c.MadeAt); err != nil {
			return err
		}
		err := q.InsertConsolidation(ctx, queries.InsertConsolidationParams{
			ID: c.ID, AgentID: agentID, MadeAt: c.MadeAt, MadeBy: string(c.MadeBy), Memories: int32(c.Memories), Model: dbconv.Optional(c.Model), Note: c.Note,
			InputTokens: int32(c.InputTokens), OutputTokens: int32(c.OutputTokens), CharsBefore: int32(c.CharsBefore), CharsAfter: int32(c.CharsAfter),
			Findings: findings,
		})
		if err != nil {
			return err
		}
		return batchErr(q.InsertConsolidationStep(ctx, steps))
	})
}

// closePlan closes the agent's current plan, if there is one. Of the agent's closed plans, it
// deletes the steps that are neither applied nor in progress, and those applied more than 90 days
// before at. It also deletes plans without steps that were closed that long ago.
func closePlan(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) error {
	if _, err := q.CloseConsolidation(ctx, queries.CloseConsolidationParams{AgentID: agentID, ClosedAt: &at}); err != nil {
		return err
	}
	before := at.Add(-undoable)
	if err := q.DeleteOldSteps(ctx, queries.DeleteOldStepsParams{AgentID: agentID, Before: &before}); err != nil {
		return err
	}
	return q.DeleteOldPlans(ctx, queries.DeleteOldPlansParams{AgentID: agentID, Before: &before})
}

// DiscardConsolidation closes the agent's current plan and deletes its unapplied steps, unless they
// are in progress. It keeps applied steps for 90 days, so that they can be undone. It fails with
// memories.ErrNotFound, and changes nothing, if there is no current plan.
func (s *Store) DiscardConsolidation(ctx context.Context, agentID int64) error {
	return s.inTx(ctx, "discard a plan", func(q *queries.Queries) error {
		if _, err := q.OpenConsolidation(ctx, agentID); err != nil {
			return err
		}
		return closePlan(ctx, q, agentID, records.Now())
	})
}

// Consolidation returns the agent's current plan with its steps, in order. It fails with
// memories.ErrNotFound if there is no plan, or the latest one is closed.
func (s *Store) Consolidation(ctx context.Context, agentID int64) (records.Plan, error) {
	row, err := s.q.OpenConsolidation(ctx, agentID)
	if err != nil {
		return records.Plan{}, dberr.Wrap("read the plan", err)
	}
	c, err := consolidationOf(row)
	if err != nil {
		return c, dberr.Wrap("read the plan", err)
	}
	steps, err := s.q.ConsolidationSteps(ctx, c.ID)
	c.Steps, err = stepsOf("read the plan", steps, err)
	return c, err
}

// LastConsolidation returns the agent's latest plan without its steps, also if it is closed. It
// fails with memories.ErrNotFound if there is no plan.
func (s *Store) LastConsolidation(ctx context.Context, agentID int64) (records.Plan, error) {
	row, err := s.q.LastConsolidation(ctx, agentID)
	if err != nil {
		return records.Plan{}, dberr.Wrap("read the last plan", err)
	}
	c, err := consolidationOf(row)
	return c, dberr.Wrap("read the last plan", err)
}

// ConsolidationStep returns one step of any of the agent's plans, also of a closed one. It fails
// with memories.ErrNotFound if the id is malformed or the agent has no such step.
func (s *Store) ConsolidationStep(ctx context.Context, agentID int64, id string) (records.Step, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return records.Step{}, err
	}
	row, err := s.q.ConsolidationStep(ctx, queries.ConsolidationStepParams{AgentID: agentID, ID: parsed})
	if err != nil {
		return records.Step{}, dberr.Wrap("read a step", err)
	}
	step, err := stepOf(row)
	return step, dberr.Wrap("read a step", err)
}

// AppliedSteps returns at most most of the agent's steps that were applied, the last applied first.
// It includes steps that were undone since. Steps applied more than 90 days ago may have been
// deleted.
func (s *Store) AppliedSteps(ctx context.Context, agentID int64, most int) ([]records.Step, error) {
	rows, err := s.q.AppliedConsolidationSteps(ctx, queries.AppliedConsolidationStepsParams{AgentID: agentID, Most: int32(most)})
	return stepsOf("read applied steps", rows, err)
}

// UnfinishedSteps returns the agent's steps in the states StepChosen and StepUndoing, whose
// application or undo has begun and not ended. They are sorted by plan id and by their order in the
// plan.
func (s *Store) UnfinishedSteps(ctx context.Context, agentID int64) ([]records.Step, error) {
	rows, err := s.q.UnfinishedConsolidationSteps(ctx, agentID)
	return stepsOf("read unfinished steps", rows, err)
}

// AgentsConsolidating returns the slugs, in any order, of the agents that have a step in the state
// StepChosen or StepUndoing.
func (s *Store) AgentsConsolidating(ctx context.Context) ([]string, error) {
	slugs, err := s.q.AgentsConsolidating(ctx)
	return slugs, dberr.Wrap("read who consolidates", err)
}

// ChooseSteps moves the agent's steps among ids from the state StepProposed to StepChosen. It saves
// actor and clears their problems. It ignores unknown ids and steps in other states, without an
// error.
func (s *Store) ChooseSteps(ctx context.Context, agentID int64, ids []uuid.UUID, actor memories.Actor) error {
	_, err := s.q.ChooseConsolidationSteps(ctx, queries.ChooseConsolidationStepsParams{AgentID: agentID, Ids: ids, Actor: string(actor)})
	return dberr.Wrap("choose steps", err)
}

// SaveStep saves the State, Problem, Changes, AppliedAt and UndoneAt of the step with the id
// step.ID. It saves no other field. It does nothing if the id is unknown.
func (s *Store) SaveStep(ctx context.Context, step records.Step) error {
	changes, err := json.Marshal(step.Changes)
	if err != nil {
		return dberr.Wrap("save a step", err)
	}
	return dberr.Wrap("save a step", s.q.SaveConsolidationStep(ctx, queries.SaveConsolidationStepParams{
		ID: step.ID, State: string(step.State), Problem: step.Problem, Changes: changes, AppliedAt: dbconv.OptionalTime(step.AppliedAt), UndoneAt: dbconv.OptionalTime(step.UndoneAt),
	}))
}

// ClaimConsolidationCheck records at as the time of the agent's last check whether a consolidation
// is due, and returns true. If a check later than unlessAfter is already recorded, it changes
// nothing and returns false.
func (s *Store) ClaimConsolidationCheck(ctx context.Context, agentID int64, at, unlessAfter time.Time) (bool, error) {
	n, err := s.q.ClaimConsolidationCheck(ctx, queries.ClaimConsolidationCheckParams{AgentID: agentID, CheckedAt: at, Since: unlessAfter})
	return n > 0, dberr.Wrap("note a look", err)
}

// ConsolidationCheckedAt returns the time of the agent's last check whether a consolidation is due.
// It returns the zero time if there was no check.
func (s *Store) ConsolidationCheckedAt(ctx context.Context, agentID int64) (time.Time, error) {
	at, err := s.q.ConsolidationCheckedAt(ctx, agentID)
	return at.UTC(), dberr.Wrap("read the last look", dbconv.IgnoreNoRows(err))
}

// SupersededMemories returns, sorted by id, active private memories that seem out of date, each
// once. Their bodies have at least shortest characters. Another active private memory of the agent,
// By, had the same body before, and has a different and newer one now.
func (s *Store) SupersededMemories(ctx context.Context, agentID int64, shortest int) ([]records.SupersededMemory, error) {
	rows, err := s.q.SupersededBy(ctx, queries.SupersededByParams{AgentID: agentID, Shortest: int32(shortest)})
	return dbconv.Rows("read superseded memories", rows, err, func(row queries.SupersededByRow) records.SupersededMemory {
		return records.SupersededMemory{ID: row.ID.String(), By: row.ByID.String(), SaidAt: row.SaidAt.UTC()}
	})
}

// ForgottenNames returns the former names of the agent's deleted and renamed memories. It omits
// names that a memory outside the trash has now. The value is the new name if the latest event of
// the name was a rename, and empty if it was a deletion.
func (s *Store) ForgottenNames(ctx context.Context, agentID int64) (map[string]string, error) {
	rows, err := s.q.ForgottenNames(ctx, agentID)
	names := make(map[string]string, len(rows))
	for _, row := range rows {
		names[row.Name] = dbconv.OrZero(row.OtherName)
	}
	return names, dberr.Wrap("read forgotten names", err)
}

// EachActive calls each with every readable, active, private memory of the agent that is not in
// quarantine, sorted by name.
// The memories have their text but no files. At the first error of each it stops and returns that
// error unchanged.
func (s *Store) EachActive(ctx context.Context, agent records.Agent, each func(memories.Memory) error) error {
	// ForEachRow returns the error of Query.
	rows, _ := s.pool.Query(ctx, `SELECT m.id, m.name, m.type, r.description, r.body, m.path, m.session, m.hash, m.fingerprint, m.modified_at,
		m.content_at, m.created_at
		FROM memories m JOIN revisions r ON r.id = m.revision_id
		WHERE m.agent_id = $1 AND m.state = 'active' AND m.readable AND NOT m.team AND NOT m.quarantined ORDER BY m.name`, agent.ID)
	m := memories.Memory{AgentID: agent.ID, Agent: agent.Slug, Readable: true, State: memories.Active}
	var id uuid.UUID
	var t, session *string
	var fingerprint []byte
	var failed error
	columns := []any{&id, &m.Name, &t, &m.Description, &m.Body, &m.Path, &session, &m.Hash, &fingerprint, &m.ModifiedAt, &m.ContentAt, &m.CreatedAt}
	_, err := pgx.ForEachRow(rows, columns, func() error {
		m.ID, m.Type, m.Session = id.String(), memories.Type(dbconv.OrZero(t)), dbconv.OrZero(session)
		m.Fingerprint = memories.Fingerprint(fingerprint)
		failed = each(m)
		return failed
	})
	if failed != nil {
		return failed
	}
	return dberr.Wrap("read memories", err)
}

func consolidationOf(row queries.Consolidation) (records.Plan, error) {
	c := records.Plan{
		ID: row.ID, MadeAt: row.MadeAt.UTC(), MadeBy: memories.Actor(row.MadeBy), Closed: row.ClosedAt != nil, Memories: int(row.Memories), Model: dbconv.OrZero(row.Model), Note: row.Note,
		InputTokens: int(row.InputTokens), OutputTokens: int(row.OutputTokens), CharsBefore: int(row.CharsBefore), CharsAfter: int(row.CharsAfter),
	}
	return c, json.Unmarshal(row.Findings, &c.Findings)
}

// stepsOf converts the result of a query for steps, in the same order. It returns the query's
// error, or the first error of malformed JSON, with the text of doing before it.
func stepsOf(doing string, rows []queries.ConsolidationStep, err error) ([]records.Step, error) {
	if err != nil {
		return nil, dberr.Wrap(doing, err)
	}
	steps, err := dbconv.TryAll(rows, stepOf)
	return steps, dberr.Wrap(doing, err)
}

func stepOf(row queries.ConsolidationStep) (records.Step, error) {
	step := records.Step{
		ID: row.ID, PlanID: row.PlanID, Place: int(row.Place), Kind: row.Kind, Source: row.Source, Title: row.Title, Reason: row.Reason,
		State: records.StepState(row.State), Problem: row.Problem, CharsBefore: int(row.CharsBefore), CharsAfter: int(row.CharsAfter),
		Actor: memories.Actor(row.Actor), AppliedAt: dbconv.TimeOrZero(row.AppliedAt), UndoneAt: dbconv.TimeOrZero(row.UndoneAt),
	}
	return step, json.Unmarshal(row.Changes, &step.Changes)
}
