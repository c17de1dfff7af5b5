// Package eventlines folds equal events that are close together into one line of a timeline, and
// reads such lines page by page.
package eventlines

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Gap is the longest time between two neighbours in a line.
const Gap = 10 * time.Minute

// Line is a line of a timeline: one event, or several that are equal and close together.
type Line struct {
	Events []records.TimelineEvent // the newest first
}

// Place returns the position of the line in the timeline, as a cursor for Read.
func (l Line) Place() string { return placeOf(l.Events[0]) }

// Count returns the number of events, or of memories for a first scan.
func (l Line) Count() int { return max(len(l.Events), l.Events[0].FirstScan) }

// key identifies the events that can be in one line.
type key struct {
	agentID int64
	kind    memories.ActivityKind
	actor   memories.Actor
	session string // only if it is the actor
	browser string
	person  string
	day     string
}

// Fold returns the lines of the events, which must be the newest first, as the lines are. Events are
// in one line if they have the same agent, kind, actor, browser and day, and each is at most Gap after the
// next. Events by sessions are of the same session. Recalls and first scans have lines of their own. zone is the time zone of the days.
func Fold(events []records.TimelineEvent, zone *time.Location) []Line {
	var lines []Line
	open := map[key]int{} // index of the last line with the key
	for _, e := range events {
		if e.RecallID != uuid.Nil || e.FirstScan > 0 {
			lines = append(lines, Line{Events: []records.TimelineEvent{e}})
			continue
		}
		k := key{e.AgentID, e.Kind, e.Actor, "", e.Browser, e.Person, e.At.In(zone).Format(time.DateOnly)}
		if e.Actor == memories.BySession {
			k.session = e.Session
		}
		if i, ok := open[k]; ok {
			if last := lines[i].Events; last[len(last)-1].At.Sub(e.At) <= Gap {
				lines[i].Events = append(last, e)
				continue
			}
		}
		open[k] = len(lines)
		lines = append(lines, Line{Events: []records.TimelineEvent{e}})
	}
	return lines
}

// Store reads events, the newest first.
type Store interface {
	TimelineEvents(ctx context.Context, list records.TimelineList) ([]records.TimelineEvent, error)
}

// Page is one part of a timeline.
type Page struct {
	Lines []Line
	Next  string // the place of the last line; empty at the end
}

// Read returns the first limit lines of the events that list selects, after the place of a line, or
// from the newest if after is empty. list.Until and list.Limit are ignored. It fails with
// records.ErrCursor if after is malformed.
// zone is the time zone of the days.
func Read(ctx context.Context, store Store, list records.TimelineList, after string, limit int, zone *time.Location) (Page, error) {
	var place *records.TimelineEvent
	list.Until = time.Time{}
	if after != "" {
		p, err := parsePlace(after)
		if err != nil {
			return Page{}, err
		}
		place, list.Until = &p, p.At.Add(Gap)
	}
	// A line can fold any number of events, so the number to read is unknown.
	for list.Limit = 10 * limit; ; list.Limit *= 8 {
		events, err := store.TimelineEvents(ctx, list)
		if err != nil {
			return Page{}, err
		}
		lines := Fold(events, zone)
		if place != nil {
			lines = slices.DeleteFunc(lines, func(l Line) bool { return l.Events[0].Compare(*place) <= 0 })
		}
		more := len(lines) > limit
		shown := lines[:min(limit, len(lines))]
		if len(events) < list.Limit || more && allEnded(shown, events[len(events)-1]) {
			page := Page{Lines: shown}
			if more {
				page.Next = shown[limit-1].Place()
			}
			return page, nil
		}
	}
}

// allEnded reports whether no event after last, the last one read, can be in one of the lines.
func allEnded(lines []Line, last records.TimelineEvent) bool {
	return !slices.ContainsFunc(lines, func(l Line) bool { return l.Events[len(l.Events)-1].At.Sub(last.At) <= Gap })
}

// placeOf returns the place of an event as text: its time in microseconds and its id.
func placeOf(e records.TimelineEvent) string {
	id := strconv.FormatInt(e.ID, 10)
	if e.RecallID != uuid.Nil {
		id = e.RecallID.String()
	}
	return fmt.Sprintf("%d.%s", e.At.UnixMicro(), id)
}

func parsePlace(text string) (records.TimelineEvent, error) {
	at, id, _ := strings.Cut(text, ".")
	micro, err := strconv.ParseInt(at, 10, 64)
	if err != nil || micro < 0 || micro > maxMicro {
		return records.TimelineEvent{}, records.ErrCursor
	}
	e := records.TimelineEvent{At: time.UnixMicro(micro).UTC()}
	if e.RecallID, err = uuid.Parse(id); err == nil {
		return e, nil
	}
	if e.ID, err = strconv.ParseInt(id, 10, 64); err != nil {
		return records.TimelineEvent{}, records.ErrCursor
	}
	return e, nil
}

// maxMicro is the year 9999 in microseconds since 1970: Postgres and JSON have no later times.
const maxMicro = 253370764800_000_000
