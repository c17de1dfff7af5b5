package eventlines_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/pages/eventlines"
	"memoir/internal/records"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// event returns an event some minutes before noon, which is its id too.
func event(minutes int, kind memories.ActivityKind, actor memories.Actor) records.TimelineEvent {
	return records.TimelineEvent{AgentID: 1, At: noon.Add(-time.Duration(minutes) * time.Minute), ID: int64(1_000_000 - minutes), Kind: kind, Actor: actor}
}

// written returns lines as text, such as "2 learned".
func written(lines []eventlines.Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, fmt.Sprintf("%d %s", l.Count(), l.Events[0].Kind))
	}
	return strings.Join(all, ", ")
}

func TestFold_EqualAndClose(t *testing.T) {
	t.Parallel()
	const learned, deleted = memories.ActivityLearned, memories.ActivityDeleted
	const disk, browser = memories.ByDisk, memories.ByBrowser
	inSession := func(minutes int, session string) records.TimelineEvent {
		e := event(minutes, learned, memories.BySession)
		e.Session = session
		return e
	}
	otherAgent := event(1, learned, disk)
	otherAgent.AgentID = 2
	recall := func(minutes int) records.TimelineEvent {
		e := event(minutes, records.KindRecalled, memories.BySession)
		e.ID, e.RecallID = 0, uuid.UUID{15: byte(minutes)}
		return e
	}
	firstScan := event(1, learned, memories.ByMemoir)
	firstScan.FirstScan = 474
	for name, c := range map[string]struct {
		events []records.TimelineEvent
		want   string
	}{
		"none":           {want: ""},
		"neighbours":     {events: []records.TimelineEvent{event(0, learned, disk), event(9, learned, disk), event(19, learned, disk)}, want: "3 learned"},
		"too far":        {events: []records.TimelineEvent{event(0, learned, disk), event(11, learned, disk)}, want: "1 learned, 1 learned"},
		"other actor":    {events: []records.TimelineEvent{event(0, deleted, disk), event(1, deleted, browser)}, want: "1 deleted, 1 deleted"},
		"others between": {events: []records.TimelineEvent{event(0, learned, disk), event(1, deleted, browser), event(2, learned, disk)}, want: "2 learned, 1 deleted"},
		"other session":  {events: []records.TimelineEvent{inSession(0, "a"), inSession(1, "b"), inSession(2, "a")}, want: "2 learned, 1 learned"},
		"other agent":    {events: []records.TimelineEvent{event(0, learned, disk), otherAgent}, want: "1 learned, 1 learned"},
		"other day":      {events: []records.TimelineEvent{event(12*60-1, learned, disk), event(12*60+1, learned, disk)}, want: "1 learned, 1 learned"},
		"recalls":        {events: []records.TimelineEvent{recall(1), recall(2)}, want: "1 recalled, 1 recalled"},
		"first scan":     {events: []records.TimelineEvent{firstScan, event(2, learned, disk)}, want: "474 learned, 1 learned"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := written(eventlines.Fold(c.events, time.UTC)); got != c.want {
				t.Errorf("Fold() = %q, want %q", got, c.want)
			}
		})
	}
}

// store is a list of events, the newest first.
type store []records.TimelineEvent

func (s store) TimelineEvents(_ context.Context, list records.TimelineList) ([]records.TimelineEvent, error) {
	var found []records.TimelineEvent
	for _, e := range s {
		if list.Until.IsZero() || !e.At.After(list.Until) {
			found = append(found, e)
		}
	}
	return found[:min(len(found), list.Limit)], nil
}

// TestRead_PagesAreComplete checks that the pages of a timeline, one after the other, have the same
// lines as all events folded at once.
func TestRead_PagesAreComplete(t *testing.T) {
	t.Parallel()
	kinds := []memories.ActivityKind{memories.ActivityLearned, memories.ActivityChanged, memories.ActivityDeleted}
	for name, c := range map[string]struct{ step, burst int }{ // minutes between events, and events of one kind in a row
		"far apart": {step: 30, burst: 1},
		"mixed":     {step: 3, burst: 1},
		"bursts":    {step: 1, burst: 70},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all store
			for i := range 1500 {
				all = append(all, event(i*c.step, kinds[i/c.burst%len(kinds)], memories.ByDisk))
			}
			var got []eventlines.Line
			for after, pages := "", 0; pages < 1500; pages++ {
				page, err := eventlines.Read(t.Context(), all, records.TimelineList{}, after, 7, time.UTC)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, page.Lines...)
				if after = page.Next; after == "" {
					break
				}
			}
			want := eventlines.Fold(all, time.UTC)
			same := func(a, b eventlines.Line) bool { return slices.Equal(a.Events, b.Events) }
			if !slices.EqualFunc(got, want, same) {
				t.Errorf("pages have\n%s\nwant\n%s", written(got), written(want))
			}
		})
	}
}

func TestRead_RefusesMalformedPlace(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"x", "12", "12.", "-1.3", "99999999999999999999.1", "253370764800000001.1", "1.2.3"} {
		if _, err := eventlines.Read(t.Context(), store{}, records.TimelineList{}, place, 5, time.UTC); !errors.Is(err, records.ErrCursor) {
			t.Errorf("Read() after %q: error = %v, want ErrCursor", place, err)
		}
	}
}
