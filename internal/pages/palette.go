package pages

import (
	"net/http"

	"golang.org/x/sync/errgroup"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/pages/homeview"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/paletteview"
	"memoir/internal/records"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// palette answers with the results of the palette, a part of a page.
func (s *site) palette(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	typed := listview.CleanText(query.Get(address.FieldQuery))
	asked := terms.Parse(typed)
	d := paletteview.Data{Query: typed, Typed: asked.Words, HomeDir: home(), CanWrite: gate.CanWrite(r.Context())}
	d.Current, _ = paletteview.AgentOf(query.Get(address.FieldHere))
	if cookie, err := r.Cookie(kit.CookieTheme); err == nil {
		d.Theme = ui.ParseTheme(cookie.Value)
	}
	reading, ctx := errgroup.WithContext(r.Context())
	reading.Go(func() (err error) {
		d.Agents, d.Newest, err = homeview.AgentsAndChanges(ctx, s.store)
		return err
	})
	reading.Go(func() error {
		waiting, err := s.store.Review(ctx, records.ReviewList{Limit: 1})
		d.Waiting = waiting.Counts
		return err
	})
	reading.Go(func() error {
		if typed == "" {
			d.Recent = paletteview.Recent(ctx, s.store, query[address.FieldRecent], query.Get(address.FieldHere))
			return nil
		}
		page, err := paletteview.Search(ctx, s.store, asked, d.HomeDir, memories.PageRequest{Limit: paletteview.MaxMemories})
		d.Memories, d.Total, d.Near = page.Memories, page.Total, page.Near
		return err
	})
	if err := reading.Wait(); err != nil {
		return err
	}
	return showRegion(w, r, ui.PaletteResults(d.Palette()))
}
