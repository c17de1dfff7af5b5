package api

import (
	"context"
	"net/http"

	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

func (a *api) registerTargets() {
	const path = "/agents/{slug}/targets"
	register(a, get(path, "list-targets", "List the files besides CLAUDE.md into which the agent can be published"), a.listTargets)
	register(a, put(path, "set-targets", "Choose the files besides CLAUDE.md into which the agent is published", http.StatusConflict), a.setTargets)
}

// settingTargets is the input of setTargets.
type settingTargets struct {
	AgentPath
	Body struct {
		Targets []string `json:"targets" nullable:"false" doc:"The wanted targets: agents, gemini, copilot, cursor. The text of Memoir is removed from all others."`
	} `nameHint:"TargetChoice"`
}

func (a *api) listTargets(ctx context.Context, in *AgentPath) (*answer[wire.TargetList], error) {
	all, err := a.engine.Targets(ctx, in.Slug)
	return ok(targetsOf(all)), err
}

func (a *api) setTargets(ctx context.Context, in *settingTargets) (*answer[wire.TargetList], error) {
	all, err := a.engine.SetTargets(ctx, in.Slug, in.Body.Targets)
	return ok(targetsOf(all)), err
}

func targetsOf(all engine.Targets) wire.TargetList {
	list := wire.TargetList{Dir: wire.Text(all.Dir), Targets: []wire.Target{}}
	for _, t := range all.List {
		list.Targets = append(list.Targets, wire.Target{
			Target: t.Kind.Name, On: t.On, Path: wire.Text(t.Path), File: t.Kind.Path, Readers: t.Kind.Readers, Limit: t.Kind.Limit, Bytes: t.State.Bytes,
			SameAs: wire.Text(t.State.SameAs), PublishedAt: wire.Moment(t.State.PublishedAt), Problem: wire.Text(t.State.Problem),
		})
	}
	return list
}
