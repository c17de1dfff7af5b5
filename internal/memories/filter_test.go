package memories_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
)

func TestParseFilter(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]memories.Filter{
		"":                                   {},
		"type=user&state=missing":            {Type: memories.User, State: memories.Missing},
		"type=User":                          {Type: memories.User},
		"stale=true&flagged=false":           {Stale: true},
		"unchecked=true":                     {Unchecked: true},
		"q=two+words&near=true&sort=updated": {Query: "two words", Near: true, Sort: memories.ByUpdate},
		"session=U1-C1-1&scope=team&name=X":  {Session: "U1-C1-1", Scope: memories.TeamScope, Name: "X"},
		"not_removed=true":                   {NotRemoved: true},
		"updated_since=2026-11-03T14:00:00Z": {UpdatedSince: "2026-11-03T14:00:00Z"},
		"as_of=2026-11-03T14:00:00Z":         {AsOf: "2026-11-03T14:00:00Z"},
		"as_of=2026-11-03T14:00:00+01:00":    {AsOf: "2026-11-03T14:00:00 01:00"}, // the plus sign is not escaped
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := memories.ParseFilter(values)
		if err != nil || got != want {
			t.Errorf("ParseFilter(%q) = %+v, %v, want %+v", query, got, err, want)
		}
		if again, err := memories.ParseFilter(got.Values()); err != nil || again != got {
			t.Errorf("ParseFilter(Values()) = %+v, %v, want %+v", again, err, got)
		}
	}
}

func TestParseFilter_Invalid(t *testing.T) {
	t.Parallel()
	for query, field := range map[string]string{
		"type=fact":                      "type",
		"state=gone":                     "state",
		"stale=yes":                      "stale",
		"name=":                          "name",
		"type=user&type=user":            "type",
		"colour=red":                     "colour",
		"limit=5":                        "limit",
		"name=%00":                       "name",
		"session=%ff":                    "session",
		"updated_since=2026-11-03":       "updated_since",
		"as_of=tomorrow":                 "as_of",
		"q=" + strings.Repeat("a", 1001): "q",
		"as_of=2026-11-03T14:00:00Z&q=x": "q",
		"as_of=2026-11-03T14:00:00Z&flagged=true": "as_of",
		"as_of=2026-11-03T14:00:00Z&sort=updated": "sort",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = memories.ParseFilter(values)
		var invalid *memories.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != field {
			t.Errorf("ParseFilter(%.50q) error = %v, want one about %s", query, err, field)
		}
	}
}

func TestFilter_Matcher(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	memory := memories.Memory{
		Name: "Tabs", Type: memories.User, State: memories.Active, Readable: true, Problems: []memories.Problem{{Code: "x"}},
		Files: []memories.MemoryFile{{Session: "U1"}}, ModifiedAt: now.Add(-72 * time.Hour), UpdatedAt: now.Add(-48 * time.Hour),
	}
	matching := []memories.Filter{
		{}, {Type: memories.User}, {State: memories.Active}, {Stale: true}, {Flagged: true}, {Session: "U1"}, {Name: "Tabs"}, {Scope: memories.PrivateScope},
		{UpdatedSince: memories.MomentOf(memory.UpdatedAt)},
	}
	others := []memories.Filter{
		{Type: memories.Project}, {State: memories.Missing}, {Session: "U2"}, {Name: "Spaces"}, {Scope: memories.TeamScope},
		{UpdatedSince: memories.MomentOf(memory.UpdatedAt.Add(time.Nanosecond))},
		{Type: memories.User, Name: "Spaces"},
	}
	for i, filter := range append(matching, others...) {
		matches, err := filter.Matcher(now)
		if want := i < len(matching); err != nil || matches(memory) != want {
			t.Errorf("Matcher(%q) error = %v, want a match: %v", filter.Values().Encode(), err, want)
		}
	}
	for _, filter := range []memories.Filter{{Query: "x"}, {Near: true}, {Sort: memories.ByAge}, {NotRemoved: true}, {AsOf: memories.MomentOf(now)}} {
		if _, err := filter.Matcher(now); err == nil {
			t.Errorf("Matcher(%q) error = nil, want one", filter.Values().Encode())
		}
	}
}
