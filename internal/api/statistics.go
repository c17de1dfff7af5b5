package api

import (
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// Statistics contains the growth and the ages of an agent's memories.
type Statistics struct {
	Growth []GrowthPoint `json:"growth" nullable:"false" doc:"Oldest first; the last is today's."`
	Ages   []AgeBucket   `json:"ages" nullable:"false" doc:"Youngest first. Memories of unknown age are not included."`
}

// GrowthPoint is the number of memories at the end of a day, without deleted ones.
type GrowthPoint struct {
	Day   string `json:"day" format:"date" doc:"In UTC."`
	Alive Alive  `json:"alive"`
}

// AgeBucket is the number of memories in a range of ages, without deleted ones.
type AgeBucket struct {
	FromDays int   `json:"from_days" doc:"Whole days of 24 hours."`
	ToDays   *int  `json:"to_days" doc:"Inclusive; null for no upper limit."`
	Alive    Alive `json:"alive"`
}

// Alive is the number of memories that are not deleted, by type.
type Alive struct {
	Feedback  int `json:"feedback"`
	User      int `json:"user"`
	Project   int `json:"project"`
	Reference int `json:"reference"`
	Untyped   int `json:"untyped" doc:"Memories without a type, which need attention."`
	Total     int `json:"total"`
}

type statisticsInput struct {
	AgentPath
	Days   int `query:"days" minimum:"1" maximum:"3660" doc:"Number of past days; default: since the first memory of a known age."`
	Points int `query:"points" minimum:"1" maximum:"400" default:"100" doc:"Maximum number of days in growth, evenly spread."`
}

func (a *api) registerStatistics() {
	register(a, get("/agents/{slug}/statistics", "get-statistics", "Show the growth and the ages of an agent's memories"), ofAgent(a, a.getStatistics))
}

func (a *api) getStatistics(ctx context.Context, row records.Agent, in *statisticsInput) (*answer[Statistics], error) {
	now := time.Now().UTC()
	var since time.Time
	if in.Days > 0 {
		since = now.AddDate(0, 0, 1-in.Days)
	}
	grown, err := a.store.Growth(ctx, []int64{row.ID}, since, now, in.Points)
	if err != nil {
		return nil, err
	}
	ages, err := a.store.Ages(ctx, []int64{row.ID}, now)
	if err != nil {
		return nil, err
	}
	return ok(Statistics{Growth: wire.List(grown[row.ID], growthPointOf), Ages: agesOf(ages[row.ID])}), nil
}

func growthPointOf(p records.GrowthPoint) GrowthPoint {
	return GrowthPoint{Day: p.Day.Format(time.DateOnly), Alive: aliveOf(p.Alive)}
}

// agesOf returns a bucket for each count, in order. The bucket i begins at records.AgeBounds[i]
// days and ends before the next bound; the last one has no upper bound.
func agesOf(counts []records.Alive) []AgeBucket {
	buckets := make([]AgeBucket, len(counts))
	for i, alive := range counts {
		buckets[i] = AgeBucket{FromDays: records.AgeBounds[i], Alive: aliveOf(alive)}
		if i+1 < len(records.AgeBounds) {
			to := records.AgeBounds[i+1] - 1
			buckets[i].ToDays = &to
		}
	}
	return buckets
}

func aliveOf(alive records.Alive) Alive {
	return Alive{
		Feedback: alive[memories.Feedback], User: alive[memories.User], Project: alive[memories.Project],
		Reference: alive[memories.Reference], Untyped: alive[""], Total: alive.Total(),
	}
}
