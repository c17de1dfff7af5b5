package pages

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/sync/errgroup"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/homeview"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

const (
	// weekOfNews is the time of the news and of the changes on the first page.
	weekOfNews = 7 * 24 * time.Hour
	// totalDays is the length of the line with the number of memories, in days (arbitrary).
	totalDays = 30
	// maxNews is the number of sentences on the first page, maxNewsInMarkdown of the copy, and maxRead
	// that of the memories from which they are taken. All are arbitrary.
	maxNews, maxNewsInMarkdown, maxRead = 7, 200, 500
)

// home shows what waits, what was learned, and all agents. Without agents it shows how to add the
// first one. It returns memories.ErrNotFound for an unknown order or number of rows.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	v := templates.Home{
		Frame: templates.Frame{Live: templates.EventsPath, Notice: homeNotice(r)},
		Query: cleanText(query.Get(templates.FieldQuery)), Sort: templates.AgentSort(query.Get(templates.FieldSort)), All: query.Get(templates.FieldShow) == templates.ShowAll,
		Now: time.Now(), Problems: scanProblems(s.engine.ScanProblems()), RunsAs: engine.RunsAs(), Samples: s.options.AddSamples != nil,
	}
	if v.Sort == "" {
		v.Sort = templates.ByChange
	}
	if show := query.Get(templates.FieldShow); !slices.Contains(templates.AgentSorts(), v.Sort) || show != "" && !v.All {
		return memories.ErrNotFound
	}
	data, err := s.homeData(r.Context(), v.Now)
	if err != nil {
		return err
	}
	data.Failing = map[string]bool{}
	for _, p := range v.Problems {
		data.Failing[p.Agent] = p.Path == ""
	}
	rows := data.Rows()
	v.Total, v.Context = len(rows), homeview.Context(rows)
	v.Rows, v.More, v.Empty = homeview.Select(rows, homeview.Request{Query: v.Query, Sort: v.Sort, All: v.All})
	if isRegion(r, "list") {
		return showRegion(w, r, templates.HomeAgents(v))
	}
	if v.Total == 0 {
		for _, path := range homeview.Places(s.options.Places) {
			_, err := os.Stat(path)
			v.Watched = append(v.Watched, templates.WatchedDir{Path: path, Exists: err == nil})
		}
	}
	if err := s.addFigures(r.Context(), &v, data); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.HomePage(v))
}

// homeData returns what the rows of the agents are made of.
func (s *site) homeData(ctx context.Context, now time.Time) (homeview.Data, error) {
	data := homeview.Data{Limit: s.options.ClaudeMDLimit, HomeDir: home()}
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		data.Agents, data.Newest, err = s.agentsAndChanges(ctx)
		return err
	})
	reading.Go(func() (err error) {
		data.Changes, err = s.store.ChangesByAgent(ctx, now.Add(-weekOfNews), now)
		return err
	})
	reading.Go(func() (err error) {
		data.IndexChars, err = s.store.IndexChars(ctx)
		return err
	})
	return data, reading.Wait()
}

// agentsAndChanges returns all agents, and the last change of a memory of each by its id.
func (s *site) agentsAndChanges(ctx context.Context) ([]records.Agent, map[int64]time.Time, error) {
	all, err := s.store.Agents(ctx)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]int64, len(all))
	for i, agent := range all {
		ids[i] = agent.ID
	}
	changed, err := s.store.NewestChanges(ctx, ids)
	return all, changed, err
}

// addFigures adds to v what waits, what was learned, and the news.
func (s *site) addFigures(ctx context.Context, v *templates.Home, data homeview.Data) error {
	growth, err := s.store.GrowthOfAll(ctx, v.Now.AddDate(0, 0, -totalDays))
	if err != nil {
		return err
	}
	v.Week = homeview.Week(data, growth, v.Now, totalDays)
	waiting, err := s.store.Review(ctx, records.ReviewList{Limit: 1})
	if err != nil {
		return err
	}
	v.Waiting = homeview.Waiting(waiting.Counts, func(kinds []findings.Kind) string {
		return templates.WithQuery(templates.ReviewPath, map[string]string{templates.FieldKind: joined(kinds)})
	})
	v.News, err = s.news(ctx, data, v.Now, maxNews)
	return err
}

// news returns at most limit sentences that agents have learned in the week before now.
func (s *site) news(ctx context.Context, data homeview.Data, now time.Time, limit int) ([]templates.News, error) {
	all, err := s.store.News(ctx, now.Add(-weekOfNews), now, maxRead)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for i, label := range homeview.Labels(data.Agents, data.HomeDir) {
		names[data.Agents[i].Slug] = label.Name
	}
	return homeview.News(all, names, limit), nil
}

// newsMarkdown answers with the news of a week as Markdown.
func (s *site) newsMarkdown(w http.ResponseWriter, r *http.Request) error {
	now := time.Now()
	all, err := s.store.AgentsUncounted(r.Context())
	if err != nil {
		return err
	}
	news, err := s.news(r.Context(), homeview.Data{Agents: all, HomeDir: home()}, now, maxNewsInMarkdown)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = w.Write([]byte(homeview.Markdown(news, now.Add(-weekOfNews), now))) // the client may have disconnected
	return nil
}

func displayNames(all []records.Agent) map[string]string {
	names := map[string]string{}
	for _, agent := range all {
		names[agent.Slug] = agent.DisplayName
	}
	return names
}

func homeNotice(r *http.Request) *templates.Notice {
	switch lastAction(r).Get(fieldDone) {
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
	return redirect(w, r, templates.HomePath, doneSamples, "")
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
