// Package targets has the statements about publish targets: the files besides CLAUDE.md into which
// a person has chosen to publish an agent.
package targets

import (
	"context"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Chosen reads the targets of all agents. It is safe for concurrent use.
type Chosen struct{ q *queries.Queries }

// New returns the Chosen targets of a database.
func New(q *queries.Queries) *Chosen { return &Chosen{q} }

// Targets returns an agent's targets, sorted by name, with those that are still to be removed.
func (c *Chosen) Targets(ctx context.Context, agentID int64) ([]records.Target, error) {
	return Of(agentID, c.q).List(ctx)
}

// AgentsWithTargets returns the ids of the agents that have targets.
func (c *Chosen) AgentsWithTargets(ctx context.Context) ([]int64, error) {
	ids, err := c.q.AgentsWithTargets(ctx)
	return ids, dberr.Wrap("read publish targets", err)
}

// Rows reads and writes the targets of one agent. Only one goroutine at a time may use it.
type Rows struct {
	agentID int64
	q       *queries.Queries
}

// Of returns the Rows of an agent on a connection.
func Of(agentID int64, q *queries.Queries) Rows { return Rows{agentID, q} }

// List returns the targets, sorted by name, with those that are still to be removed.
func (r Rows) List(ctx context.Context) ([]records.Target, error) {
	rows, err := r.q.PublishTargets(ctx, r.agentID)
	return dbconv.Rows("read publish targets", rows, err, targetOf)
}

// AgentsIn returns the slugs of other agents that are published into a project's directory.
func (r Rows) AgentsIn(ctx context.Context, dir string) ([]string, error) {
	slugs, err := r.q.TargetsInDir(ctx, queries.TargetsInDirParams{Dir: dir, AgentID: r.agentID})
	return slugs, dberr.Wrap("read publish targets", err)
}

// Set makes these the wanted targets. New ones get the directory dir. It marks the others for
// removal.
func (r Rows) Set(ctx context.Context, names []string, dir string) error {
	// Without names, the array must still not be null.
	err := r.q.SetTargets(ctx, queries.SetTargetsParams{AgentID: r.agentID, Targets: append([]string{}, names...), Dir: dir})
	return dberr.Wrap("save publish targets", err)
}

// Save records what is known of a target's file. A zero PublishedAt keeps the recorded time.
func (r Rows) Save(ctx context.Context, t records.Target) error {
	err := r.q.SaveTarget(ctx, queries.SaveTargetParams{
		AgentID: r.agentID, Target: t.Name, Added: t.Added, Created: t.Created, SameAs: t.SameAs, Bytes: int32(t.Bytes),
		Problem: t.Problem, PublishKey: t.PublishKey, PublishedAt: dbconv.OptionalTime(t.PublishedAt),
	})
	return dberr.Wrap("save a publish target", err)
}

// Delete deletes a target from which Memoir's block is removed.
func (r Rows) Delete(ctx context.Context, name string) error {
	err := r.q.DeleteTarget(ctx, queries.DeleteTargetParams{AgentID: r.agentID, Target: name})
	return dberr.Wrap("delete a publish target", err)
}

func targetOf(row queries.PublishTarget) records.Target {
	return records.Target{
		Name: row.Target, Dir: row.Dir, Wanted: row.Wanted, Added: row.Added, Created: row.Created, SameAs: row.SameAs,
		Bytes: int(row.Bytes), Problem: row.Problem, PublishKey: row.PublishKey, PublishedAt: dbconv.TimeOrZero(row.PublishedAt),
	}
}
