package publish

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// TargetState is a target of an agent, whether it is chosen or not.
type TargetState struct {
	Kind agents.Target
	Path string // absolute path of the file; empty if the agent can have no targets
	// InProject means that the file is in a project's repository, not in the agent's directory.
	InProject bool
	State     records.Target
	// On means that the agent is published into the target. Otherwise State is the zero Target, or
	// one that is still to be removed.
	On bool
}

// Targets are the targets of an agent, in the order of agents.Targets.
type Targets struct {
	// Dir is the absolute directory for new targets. It is empty if the agent can have none.
	Dir  string
	List []TargetState
}

// ListTargetsOp is the argument of ListTargets.
type ListTargetsOp struct{}

// ListTargets returns the agent's targets. It fails with memories.ErrNotFound for an unknown slug.
func (p *Publisher) ListTargets(ctx context.Context, slug string, _ ListTargetsOp) (Targets, error) {
	row, err := p.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return Targets{}, err
	}
	rows, err := p.Store.Targets(ctx, row.ID)
	return targetsOf(agenttx.AgentOf(row), rows), err
}

func targetsOf(a agents.Agent, rows []records.Target) Targets {
	all := Targets{Dir: a.PublishDir()}
	for _, known := range agents.Targets() {
		state, dir := TargetState{Kind: known}, all.Dir
		if i := slices.IndexFunc(rows, func(row records.Target) bool { return row.Name == known.Name }); i >= 0 {
			state.State, state.On, dir = rows[i], rows[i].Wanted, cmp.Or(rows[i].Dir, dir)
		}
		if dir != "" {
			state.Path, state.InProject = filepath.Join(dir, filepath.FromSlash(known.Path)), !a.Published()
		}
		all.List = append(all.List, state)
	}
	return all
}

// SetTargetsOp is the argument of SetTargets. Names are the wanted targets, and replace the present
// ones.
type SetTargetsOp struct{ Names []string }

// SetTargets chooses the targets of an agent and publishes it. Memoir's block is removed from the
// others. If a file cannot be written, Problem of its target is the reason, without an error. Errors
// to test for: memories.ErrNotFound for an unknown slug, *memories.InvalidError for an unknown
// target, and *memories.ConflictError if the agent has no directory for targets, or another agent
// is published into it.
func (p *Publisher) SetTargets(ctx context.Context, slug string, op SetTargetsOp) (Targets, error) {
	return agenttx.Do(ctx, p.Agents, slug, func(tx *agenttx.Tx) (Targets, error) {
		if tx.Closed != nil {
			return Targets{}, tx.ClosedError()
		}
		dir, err := p.dirForTargets(ctx, tx, op.Names)
		if err != nil {
			return Targets{}, err
		}
		if err := tx.Rows.Targets().Set(ctx, op.Names, dir); err != nil {
			return Targets{}, err
		}
		if _, err := p.publishOwn(ctx, tx, nil); err != nil {
			return Targets{}, err
		}
		rows, err := tx.Rows.Targets().List(ctx)
		return targetsOf(tx.Agent, rows), err
	})
}

// RemoveTargets removes Memoir's block from all targets of an agent, because the agent is to be
// forgotten. If a file cannot be written, it returns a *memories.ConflictError, and the target stays.
func (p *Publisher) RemoveTargets(ctx context.Context, tx *agenttx.Tx) error {
	rows, err := tx.Rows.Targets().List(ctx)
	if err != nil || len(rows) == 0 || tx.Root == nil && rows[0].Dir == "" {
		return err
	}
	if err := tx.Rows.Targets().Set(ctx, nil, ""); err != nil {
		return err
	}
	problem, err := p.publishTargets(ctx, tx)
	if err == nil && problem != "" {
		err = conflict(problem)
	}
	return err
}

// dirForTargets returns the directory of new targets as their rows have it: empty for the agent's
// own directory.
func (p *Publisher) dirForTargets(ctx context.Context, tx *agenttx.Tx, names []string) (string, error) {
	known := agents.Targets()
	for _, name := range names {
		if !slices.ContainsFunc(known, func(t agents.Target) bool { return t.Name == name }) {
			return "", unknownTarget(name)
		}
	}
	rows, err := tx.Rows.Targets().List(ctx)
	if err != nil {
		return "", err
	}
	isNew := func(name string) bool {
		return !slices.ContainsFunc(rows, func(row records.Target) bool { return row.Name == name })
	}
	if !slices.ContainsFunc(names, isNew) {
		return "", nil
	}
	dir := tx.Agent.PublishDir()
	switch {
	case tx.Agent.Published() && tx.Root == nil:
		return "", tx.MissingError()
	case dir == "":
		return "", conflict("The agent has no project that exists on this machine. Nothing was changed. Agents of --agents-dir and projects of Claude Code can be published.")
	case tx.Agent.Published():
		return "", p.checkAlone(ctx, tx, dir)
	}
	return dir, p.checkAlone(ctx, tx, dir)
}

// checkAlone returns a *memories.ConflictError if another agent is published into the directory: the
// two would replace each other's block.
func (p *Publisher) checkAlone(ctx context.Context, tx *agenttx.Tx, dir string) error {
	others, err := tx.Rows.Targets().AgentsIn(ctx, dir)
	if err != nil {
		return err
	}
	if !tx.Agent.Published() {
		all, err := p.Store.AgentsUncounted(ctx)
		if err != nil {
			return err
		}
		for _, row := range all {
			if a := agenttx.AgentOf(row); a.Published() && row.Present && agents.RealDir(row.Dir) == dir {
				others = append(others, row.Slug)
			}
		}
	}
	if len(others) > 0 {
		return conflict("Agent " + strings.Join(others, ", ") + " is published into " + dir + " already. Nothing was changed.")
	}
	return nil
}

func conflict(reason string) error { return &memories.ConflictError{Reason: reason} }

func unknownTarget(name string) error {
	return &memories.InvalidError{Field: "targets", Reason: fmt.Sprintf("has the unknown target %q: use %s", name, agents.TargetNames())}
}
