package pages

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/memories"
	"memoir/internal/pages/homeview"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// home shows what waits, what was learned, and all agents. Without agents it shows how to add the
// first one. It returns memories.ErrNotFound for an unknown order or number of rows.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	v := templates.Home{
		Frame: ui.Frame{Live: address.EventsPath, Notice: homeNotice(r)},
		Query: listview.CleanText(query.Get(address.FieldQuery)), Sort: templates.AgentSort(query.Get(address.FieldSort)), All: query.Get(address.FieldShow) == address.ShowAll,
		Now: time.Now(), Problems: scanProblems(s.engine.ScanProblems(r.Context())), RunsAs: engine.RunsAs(), Samples: s.options.AddSamples != nil,
	}
	if v.Sort == "" {
		v.Sort = templates.ByChange
	}
	if show := query.Get(address.FieldShow); !slices.Contains(templates.AgentSorts(), v.Sort) || show != "" && !v.All {
		return memories.ErrNotFound
	}
	var err error
	if v.Notice == nil {
		if v.Notice, err = s.undoNotice(r); err != nil {
			return err
		}
	}
	data := homeview.Data{Limit: s.options.ClaudeMDLimit, HomeDir: home(), Failing: map[string]bool{}}
	if err := data.Load(r.Context(), s.store, v.Now); err != nil {
		return err
	}
	for _, p := range v.Problems {
		data.Failing[p.Agent] = p.Path == ""
	}
	rows := data.Rows()
	v.Total, v.Context = len(rows), homeview.Context(rows)
	from, _ := strconv.Atoi(query.Get(address.FieldFrom)) // else the first page
	selected := homeview.Select(rows, homeview.Request{Query: v.Query, Sort: v.Sort, All: v.All, From: from})
	v.Rows, v.First, v.Found, v.Empty = selected.Rows, selected.First, selected.Found, selected.Empty
	if isRegion(r, "list") {
		return showRegion(w, r, templates.HomeAgents(v))
	}
	if v.Total == 0 {
		for _, path := range homeview.Places(s.options.Places) {
			_, err := os.Stat(path)
			v.Watched = append(v.Watched, templates.WatchedDir{Path: path, Exists: err == nil})
		}
	}
	if err := data.AddFigures(r.Context(), s.store, &v); err != nil {
		return err
	}
	return kit.Show(w, r, http.StatusOK, templates.HomePage(v))
}

// newsMarkdown answers with the news of a week as Markdown.
func (s *site) newsMarkdown(w http.ResponseWriter, r *http.Request) error {
	markdown, err := homeview.NewsMarkdown(r.Context(), s.store, home(), time.Now())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = w.Write([]byte(markdown)) // the client may have disconnected
	return nil
}

func displayNames(all []records.Agent) map[string]string {
	names := map[string]string{}
	for _, agent := range all {
		names[agent.Slug] = agent.DisplayName
	}
	return names
}

func homeNotice(r *http.Request) *ui.Notice {
	switch kit.LastAction(r).Get(kit.FieldDone) {
	case doneSamples:
		return newNotice("Added 3 sample agents")
	case doneForgotten:
		return newNotice("Agent forgotten")
	default:
		return nil
	}
}

// addSamples installs the sample agents, scans all agents, and redirects to the first page. If no
// samples are configured, it does nothing and returns memories.ErrNotFound. If the scan fails, it
// returns the error, and the samples stay installed.
func (s *site) addSamples(w http.ResponseWriter, r *http.Request) error {
	if s.options.AddSamples == nil {
		return memories.ErrNotFound
	}
	if err := s.options.AddSamples(); err != nil {
		return err
	}
	if _, err := s.engine.ScanAll(r.Context()); err != nil {
		return err
	}
	return kit.Redirect(w, r, address.HomePath, doneSamples, "")
}

// isRegion reports whether htmx requests only the element with the id.
func isRegion(r *http.Request, id string) bool {
	return r.Header.Get("HX-Request-Type") == "partial" && strings.HasSuffix(r.Header.Get("HX-Target"), "#"+id)
}

// showRegion answers with a part of a page, without the frame.
func showRegion(w http.ResponseWriter, r *http.Request, part templ.Component) error {
	var body bytes.Buffer
	if err := part.Render(r.Context(), &body); err != nil {
		return fmt.Errorf("render a part of the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // the client may have disconnected
	return nil
}
