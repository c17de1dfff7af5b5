package homeview

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/pages/reviewcards"
	"memoir/internal/pages/xray"
	"memoir/internal/records"
	"memoir/web/templates"
)

const (
	// weekOfNews is the time of the news and of the changes.
	weekOfNews = 7 * 24 * time.Hour
	// totalDays is the length of the line with the number of memories, in days (arbitrary).
	totalDays = 30
	// maxNews is the number of sentences on the page, maxNewsInMarkdown of the copy, and maxRead that
	// of the memories from which they are taken. All are arbitrary.
	maxNews, maxNewsInMarkdown, maxRead = 7, 200, 500
)

// Store reads what the page shows.
type Store interface {
	records.Agents
	records.Activity
	records.Overview
	records.Recalls
	records.Review
}

type onceKey struct{}

// agentsOnce is what AgentsAndChanges has read.
type agentsOnce struct {
	once    sync.Once
	all     []records.Agent
	changed map[int64]time.Time
	err     error
}

// Once returns a context in which AgentsAndChanges reads the database only once, because a page and
// its sidebar both call it.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, &agentsOnce{})
}

// AgentsAndChanges returns all agents, and the last change of a memory of each by its id. The caller
// must not change the map.
func AgentsAndChanges(ctx context.Context, store Store) ([]records.Agent, map[int64]time.Time, error) {
	read, ok := ctx.Value(onceKey{}).(*agentsOnce)
	if !ok {
		read = &agentsOnce{}
	}
	read.once.Do(func() { read.all, read.changed, read.err = agentsAndChanges(ctx, store) })
	return slices.Clone(read.all), read.changed, read.err
}

func agentsAndChanges(ctx context.Context, store Store) ([]records.Agent, map[int64]time.Time, error) {
	all, err := store.Agents(ctx)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]int64, len(all))
	for i, agent := range all {
		ids[i] = agent.ID
	}
	changed, err := store.NewestChanges(ctx, ids)
	return all, changed, err
}

// Load reads what the rows of the agents are made of into d.
func (d *Data) Load(ctx context.Context, store Store, now time.Time) error {
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		if d.Agents, d.Newest, err = AgentsAndChanges(ctx, store); err != nil {
			return err
		}
		ids := make([]int64, len(d.Agents))
		for i, a := range d.Agents {
			ids[i] = a.ID
		}
		d.Carried, err = store.Carried(ctx, ids, now.AddDate(0, 0, -xray.RecallDays))
		return err
	})
	reading.Go(func() (err error) {
		d.Changes, err = store.ChangesByAgent(ctx, now.Add(-weekOfNews), now)
		return err
	})
	return reading.Wait()
}

// AddFigures adds to v what waits, what was learned, and the news.
func (d Data) AddFigures(ctx context.Context, store Store, v *templates.Home) error {
	growth, err := store.GrowthOfAll(ctx, v.Now.AddDate(0, 0, -totalDays))
	if err != nil {
		return err
	}
	v.Week = Week(d, growth, v.Now, totalDays)
	waiting, err := store.Review(ctx, records.ReviewList{Limit: 1})
	if err != nil {
		return err
	}
	last, err := store.ReviewDecided(ctx, reviewcards.Paced(0, v.Now))
	if err != nil {
		return err
	}
	v.Waiting = Waiting(waiting.Counts, reviewcards.Pace(last))
	v.News, err = d.news(ctx, store, v.Now, maxNews)
	return err
}

// news returns at most limit sentences that agents have learned in the week before now.
func (d Data) news(ctx context.Context, store Store, now time.Time, limit int) ([]templates.News, error) {
	all, err := store.News(ctx, now.Add(-weekOfNews), now, maxRead)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for i, label := range Labels(d.Agents, d.HomeDir) {
		names[d.Agents[i].Slug] = label.Name
	}
	return News(all, names, limit), nil
}

// NewsMarkdown returns the news of the week before now as Markdown.
func NewsMarkdown(ctx context.Context, store Store, homeDir string, now time.Time) (string, error) {
	all, err := store.AgentsUncounted(ctx)
	if err != nil {
		return "", err
	}
	news, err := Data{Agents: all, HomeDir: homeDir}.news(ctx, store, now, maxNewsInMarkdown)
	return Markdown(news, now.Add(-weekOfNews), now), err
}
