package frontmatter

import (
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
)

// modifiedKeys are the keys that can state the time of the last change, in order of precedence.
// Agents write the first.
var modifiedKeys = []struct {
	nested bool // in metadata
	key    string
}{{true, "modified"}, {false, "modified"}, {false, "updated"}}

// statedModified returns the mapping and the key that state the time of the last change. Both are
// zero if the frontmatter does not state it.
func statedModified(mapping *yaml.Node) (in *yaml.Node, key string) {
	for _, candidate := range modifiedKeys {
		in := mapping
		if candidate.nested {
			in = mappingAt(mapping, "metadata")
		}
		if in == nil || indexOf(in, candidate.key) < 0 {
			continue
		}
		if text, isText := textAt(in, candidate.key); !isText || strings.TrimSpace(text) != "" {
			return in, candidate.key
		}
	}
	return nil, ""
}

// readModified sets f.Modified to the stated time of the last change. If that is not a date, it
// adds a problem to f.Problems instead. Without a stated time it does nothing.
func (f *File) readModified(mapping *yaml.Node) {
	in, key := statedModified(mapping)
	if in == nil {
		return
	}
	text, isText := textAt(in, key)
	at, ok := parseTime(text)
	if ok {
		f.Modified = at
	}
	f.flag(!isText || !ok, memories.CodeModifiedUnknown)
}

// timeLayouts are the accepted layouts of a date and time, joined by T. Agents write the first.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05 Z07:00",
	"2006-01-02T15:04:05 Z0700", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700",
	"2006-01-02T15:04", time.DateOnly,
}

// Bounds of seconds and milliseconds since 1970, which differ in their number of digits. Seconds
// cover the years 1973 to 5138, and so do milliseconds.
const (
	minEpochSeconds = 1e8
	minEpochMillis  = 1e11
	maxEpochMillis  = 1e14
)

// parseTime parses a date, optionally with time and zone, or seconds or milliseconds since 1970,
// and returns it in UTC. The default zone is UTC. ok is false for other texts, and for years other
// than 1 to 9999.
func parseTime(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case number >= minEpochMillis && number < maxEpochMillis:
			return time.UnixMilli(int64(number)).UTC(), true
		case number >= minEpochSeconds && number < minEpochMillis:
			return time.UnixMilli(int64(number * 1000)).UTC(), true
		}
		return time.Time{}, false
	}
	for _, zone := range []string{"UTC", "GMT"} {
		if before, found := strings.CutSuffix(text, zone); found {
			text = strings.TrimSpace(before) + "Z"
		}
	}
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + strings.TrimLeft(text[len(time.DateOnly):], " ")
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), memories.IsTellable(at)
		}
	}
	return time.Time{}, false
}
