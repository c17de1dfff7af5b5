package pages

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/pages/paletteview"
	"memoir/internal/records"
	"memoir/web/templates"
)

// palette answers with the results of the palette, a part of a page.
func (s *site) palette(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	typed := cleanText(query.Get(templates.FieldQuery))
	asked := terms.Parse(typed)
	d := paletteview.Data{Query: typed, Typed: asked.Words, HomeDir: home(), CanWrite: !gate.ReadOnly(r.Context())}
	d.Current, _ = paletteview.AgentOf(query.Get(templates.FieldHere))
	if cookie, err := r.Cookie(cookieTheme); err == nil {
		d.Theme = templates.ParseTheme(cookie.Value)
	}
	reading, ctx := errgroup.WithContext(r.Context())
	reading.Go(func() (err error) {
		d.Agents, d.Newest, err = s.agentsAndChanges(ctx)
		return err
	})
	reading.Go(func() error {
		waiting, err := s.store.Review(ctx, records.ReviewList{Limit: 1})
		d.Waiting = waiting.Counts
		return err
	})
	reading.Go(func() error {
		if typed == "" {
			d.Recent = s.recentPlaces(ctx, query[templates.FieldRecent], query.Get(templates.FieldHere))
			return nil
		}
		page, err := s.searchTerms(ctx, asked, memories.PageRequest{Limit: paletteview.MaxMemories})
		d.Memories, d.Total, d.Near = page.Memories, page.Total, page.Near
		return err
	})
	if err := reading.Wait(); err != nil {
		return err
	}
	return showRegion(w, r, templates.PaletteResults(d.Palette()))
}

// recentPlaces returns the pages with the paths, without the current one and those that do not
// exist.
func (s *site) recentPlaces(ctx context.Context, paths []string, here string) []paletteview.Place {
	var places []paletteview.Place
	currentSlug, currentID := paletteview.AgentOf(here)
	for _, path := range paths {
		slug, id := paletteview.AgentOf(path)
		if slug == currentSlug && id == currentID || !isText(slug) || len(places) == paletteview.MaxRecent {
			continue
		}
		place := paletteview.Place{Agent: slug}
		if id != "" {
			agent, err := s.store.AgentUncounted(ctx, slug)
			if err != nil {
				continue
			}
			m, err := s.store.Memory(ctx, agent, id)
			if err != nil || m.State == memories.Deleted {
				continue
			}
			place.Memory = &m
		}
		places = append(places, place)
	}
	return places
}
