package wording_test

import (
	"testing"
	"time"

	"memoir/web/templates/wording"
)

func TestSessionName_Forms(t *testing.T) {
	t.Parallel()
	const session = "U2K5-C02-1764000000.123456" // 24 November 2025
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	day := now.AddDate(0, 0, -5)
	for name, c := range map[string]struct {
		session string
		at      time.Time
		names   map[string]string
		want    string
	}{
		"no names":       {session, day, nil, "session of 24 Nov 2025"},
		"person":         {session, day, map[string]string{"U2K5": "Mira"}, "Mira, 24 Nov 2025"},
		"channel":        {session, day, map[string]string{"C02": "#ops"}, "#ops, 24 Nov 2025"},
		"both":           {session, day, map[string]string{"U2K5": "Mira", "C02": "#ops"}, "Mira in #ops, 24 Nov 2025"},
		"no ids":         {"3f2b", day, nil, "session of 20 Nov"},
		"unknown day":    {"3f2b", time.Time{}, nil, "session"},
		"same year":      {"U-C-1784000000", day, nil, "session of 14 Jul"},
		"another's name": {session, day, map[string]string{"U1": "Jo"}, "session of 24 Nov 2025"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := wording.SessionName(c.session, c.at, c.names, now); got != c.want {
				t.Errorf("SessionName() = %q, want %q", got, c.want)
			}
		})
	}
}
