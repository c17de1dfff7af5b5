package scan

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/logs"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

// Logs are mirrored as memories are, and mean nothing to them: their rows say what the files say, and nothing else follows.

const (
	// logBatchSize is how many logs are saved together at most, and maxLogBatchBytes how many bytes of them.
	logBatchSize     = 500
	maxLogBatchBytes = 4 << 20
	// monthsWatched is how many months back from this one the directories of logs are watched. Those of ten years would take 4,000
	// watches; what changes in an older one is seen by the next scan.
	monthsWatched = 1
)

// scanLogs mirrors the agent's logs, as far as they are in the paths, and returns the directories that are to be watched.
func (s *Scanner) scanLogs(ctx context.Context, tx *agenttx.Tx, paths []string, at time.Time) (watched []string, err error) {
	slots := logPaths(tx.Agent, paths)
	if len(slots) == 0 {
		return nil, nil
	}
	months := watchedMonths(time.Now())
	listing := agents.WalkLogs(tx.Root, tx.Agent, paths, func(dir string) {
		if _, within := tx.Agent.LogDirOf(dir); isWatched(within, months) {
			s.watchBelow(tx, dir)
			watched = append(watched, dir)
		}
	})
	if listing.Exhausted != nil {
		return nil, agenttx.ScanError(listing.Exhausted)
	}
	seen := agenttx.LogState{Known: true, Files: len(listing.Files)}
	for _, entry := range listing.Files {
		signature := entry.Signature()
		seen.Sum ^= signature
		seen.Known = seen.Known && entry.ChangeTime < at.Add(-agents.TimestampSlack).UnixNano()
	}
	if agenttx.IsFullScan(paths) && seen.Known && seen == tx.State.LastLogs {
		return watched, nil
	}
	tx.State.LastLogs = agenttx.LogState{}
	listing.Files = slices.DeleteFunc(listing.Files, func(e agents.Entry) bool { // on the way there
		return !slices.ContainsFunc(slots, func(place string) bool { return agenttx.Under(e.Path, place) })
	})
	known, err := tx.DB.LogSignatures(ctx, slots)
	if err != nil {
		return watched, err
	}
	unread, err := saveLogs(ctx, tx, listing.Files, known, at)
	if err != nil {
		return watched, err
	}
	seen.Known = seen.Known && !unread
	if gone := listing.Gone(slices.Sorted(maps.Keys(known))); len(gone) > 0 {
		if err := tx.DB.ForgetLogs(ctx, gone); err != nil {
			return watched, err
		}
		emitLogs(tx, "")
	}
	if agenttx.IsFullScan(paths) {
		tx.State.LastLogs = seen
	}
	return watched, nil
}

// logPaths returns the paths at and below which a scan of the paths may have seen logs.
func logPaths(a agents.Agent, paths []string) []string {
	if agenttx.IsFullScan(paths) {
		return a.LogDirs()
	}
	var slots []string
	for _, p := range paths {
		dir, within := a.LogDirOf(p)
		switch {
		case dir == "":
			for _, top := range a.LogDirs() {
				if agenttx.Under(top, p) {
					slots = append(slots, top)
				}
			}
		case within == ".":
			slots = append(slots, dir)
		default:
			slots = append(slots, path.Dir(p))
		}
	}
	return slots
}

// isLogsOnly reports whether a scan of the paths is one at logs alone.
func isLogsOnly(tx *agenttx.Tx, paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool {
		dir, _ := tx.Agent.LogDirOf(p)
		return dir == ""
	})
}

// watchedMonths returns the directories, below that of the logs, of the months that are watched, and of their years.
func watchedMonths(now time.Time) []string {
	var months []string
	first := time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, now.Location())
	for back := range monthsWatched + 1 {
		month := first.AddDate(0, -back, 0)
		months = append(months, month.Format("2006"), month.Format("2006/01"))
	}
	return months
}

// isWatched reports whether a directory of logs is watched: that of all, of a year or a month that counts, or of a day in one.
func isWatched(within string, months []string) bool {
	return within == "." || slices.Contains(months, within) || strings.Count(within, "/") == 2 && slices.Contains(months, path.Dir(within))
}

// saveLogs reads and keeps the logs that are not known as they are.
func saveLogs(ctx context.Context, tx *agenttx.Tx, entries []agents.Entry, known map[string]int64, at time.Time) (unread bool, err error) {
	var changed []records.Log
	size := 0
	save := func() error {
		if len(changed) == 0 {
			return nil
		}
		if err := tx.DB.SaveLogs(ctx, changed); err != nil {
			return err
		}
		day := changed[0].Day
		if slices.ContainsFunc(changed, func(l records.Log) bool { return l.Day != day }) {
			day = ""
		}
		emitLogs(tx, day)
		changed, size = nil, 0
		return nil
	}
	for _, entry := range entries {
		if signature, is := known[entry.Path]; is && signature == entry.Signature() {
			continue
		}
		log, there, err := readLog(tx, entry, at)
		if err != nil {
			return unread, err
		}
		if !there {
			continue
		}
		unread = unread || log.Signature == 0
		changed = append(changed, log)
		if size += len(log.Text); len(changed) == logBatchSize || size >= maxLogBatchBytes {
			if err := save(); err != nil {
				return unread, err
			}
		}
	}
	return unread, save()
}

// emitLogs tells that logs of a day have changed; of the empty one: of several.
func emitLogs(tx *agenttx.Tx, day logs.Day) {
	tx.Emit(events.Logged, string(day))
}

// readLog reads a log file. It is not there when it has gone since it was listed. It fails where nothing more could be opened.
func readLog(tx *agenttx.Tx, entry agents.Entry, at time.Time) (l records.Log, there bool, err error) {
	_, within := tx.Agent.LogDirOf(entry.Path)
	place := logs.PlaceOf(within)
	modified := time.Unix(0, entry.ModTime).UTC()
	if entry.ModTime == 0 {
		modified = at
	}
	l = records.Log{Path: entry.Path, Day: place.Day, Title: place.Title, Size: entry.Size, ModifiedAt: modified}
	if entry.ChangeTime < at.Add(-agents.TimestampSlack).UnixNano() {
		l.Signature = entry.Signature()
	}
	switch {
	case place.Day == "":
		l.Day, l.Problems = logs.DayOf(modified.Local()), []string{logs.CodeNoDay}
	case !place.Usual:
		l.Problems = []string{logs.CodeMisplaced}
	}
	if entry.Problem != nil { // where it is then matters to nobody
		l.Problems = []string{entry.Problem.Code}
		return l, true, nil
	}
	raw, cut, err := agents.ReadEnd(tx.Root, entry.Path, logs.MaxRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, false, nil
	case files.IsExhausted(err):
		return l, false, agenttx.ScanError(err)
	case err != nil:
		l.Signature, l.Problems = 0, []string{readProblem(err).Code}
		return l, true, nil
	}
	content := logs.Read(raw, cut)
	l.Text, l.Entries, l.Hash = content.Text, content.Entries, files.Hash(raw)
	l.Problems = append(l.Problems, content.Problems...)
	if l.Title != "" && content.Title != "" {
		l.Title = content.Title
	}
	return l, true, nil
}
