package pages

import (
	"context"
	"net/http"
	"slices"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/shown"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// targets returns the files for other agents. It is nil for an agent that can have none, unless one
// is still chosen.
func (s *site) targets(ctx context.Context, slug string) ([]templates.Target, error) {
	all, err := s.engine.Targets(ctx, slug)
	if err != nil {
		return nil, err
	}
	var views []templates.Target
	for _, t := range all.List {
		if t.Path != "" {
			views = append(views, targetView(t))
		}
	}
	return views, nil
}

func targetView(t engine.TargetState) templates.Target {
	return templates.Target{
		Name: t.Kind.Name, File: t.Kind.Path, Readers: t.Kind.Readers, On: t.On, InProject: t.InProject, Bytes: t.State.Bytes,
		SameAs: t.State.SameAs, Problem: t.State.Problem, WrittenAt: shown.Local(t.State.PublishedAt),
	}
}

// switchTarget returns a handler that publishes the agent into the target in the address, or stops
// that. If the file cannot be written, the row of the target shows why.
func (s *site) switchTarget(on bool) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		slug, name := kit.Slug(r), kit.Param(r, address.FieldTarget)
		all, err := s.engine.Targets(r.Context(), slug)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all.List, func(t engine.TargetState) bool { return t.Kind.Name == name }) {
			return memories.ErrNotFound
		}
		wanted := []string{}
		for _, t := range all.List {
			if t.On && t.Kind.Name != name || on && t.Kind.Name == name {
				wanted = append(wanted, t.Kind.Name)
			}
		}
		all, err = s.engine.SetTargets(r.Context(), slug, wanted)
		if err != nil {
			return err
		}
		done := doneStopped
		if on {
			done = donePublished
		}
		if slices.ContainsFunc(all.List, func(t engine.TargetState) bool { return t.Kind.Name == name && t.State.Problem != "" }) {
			done = "" // the row has the problem
		}
		return kit.Redirect(w, r, kit.Back(r, address.SettingsPath(slug)), doneOf(r, done), name)
	}
}
