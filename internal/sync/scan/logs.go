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

// Logs are mirrored like memories, but a change of a log changes no memory.

const (
	// logBatchSize is the number of logs in a full batch. Arbitrary.
	logBatchSize = 500
	// maxLogBatchBytes is the size of the texts, in bytes, from which a batch of logs is full.
	// Arbitrary.
	maxLogBatchBytes = 4 << 20
	// monthsWatched is the number of months before the current one whose directories of logs are
	// watched. Full scans find changes in older ones. All directories of ten years would need 4,000
	// watches.
	monthsWatched = 1
)

// scanLogs saves the agent's changed log files at and below paths in the database, and deletes the
// rows of missing ones. It emits events for both. It watches the directories of recent logs and
// returns them, relative to the agent's directory. If no path is or contains a log, it does
// nothing. It fails with memories.ErrOutOfFiles if it could not open more files.
func (s *Scanner) scanLogs(ctx context.Context, tx *agenttx.Tx, paths []string, at time.Time) (watched []string, err error) {
	within := logPaths(tx.Agent, paths)
	if len(within) == 0 {
		return nil, nil
	}
	months := watchedMonths(time.Now())
	listing := agents.WalkLogs(tx.Root, tx.Agent, paths, func(dir string) {
		if _, relDir := tx.Agent.LogDirOf(dir); isWatched(relDir, months) {
			s.watchDir(tx, dir)
			watched = append(watched, dir)
		}
	})
	if listing.Exhausted != nil {
		return nil, agenttx.OutOfFiles(listing.Exhausted)
	}
	// The walk also lists logs in the directories above.
	listing.Files = slices.DeleteFunc(listing.Files, func(e agents.Entry) bool { return !agenttx.IsIn(within, e.Path) })
	known, err := tx.Rows.LogSignatures(ctx, within)
	if err != nil {
		return watched, err
	}
	if err := saveLogs(ctx, tx, listing.Files, known, at); err != nil {
		return watched, err
	}
	if gone := listing.Gone(slices.Sorted(maps.Keys(known))); len(gone) > 0 {
		if err := tx.DB.DeleteLogs(ctx, gone); err != nil {
			return watched, err
		}
		tx.Emit(events.Logged, "")
	}
	return watched, nil
}

// logPaths returns the directories below which a scan of paths lists all logs. For the path of a
// log file, that is the file's directory. It returns nil if no path is or contains a log.
func logPaths(a agents.Agent, paths []string) []string {
	if agenttx.IsFullScan(paths) {
		return a.LogDirs()
	}
	var within []string
	for _, p := range paths {
		dir, relPath := a.LogDirOf(p)
		switch {
		case dir == "":
			for _, top := range a.LogDirs() {
				if agenttx.Under(top, p) {
					within = append(within, top)
				}
			}
		case relPath == ".":
			within = append(within, dir)
		default:
			within = append(within, path.Dir(p))
		}
	}
	return within
}

// isLogsOnly reports whether all paths are in directories of logs. It is false without paths.
func isLogsOnly(tx *agenttx.Tx, paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool {
		dir, _ := tx.Agent.LogDirOf(p)
		return dir == ""
	})
}

// watchedMonths returns the directories of the watched months and of their years, such as 2006/01
// and 2006. They are relative to the directory of the logs.
func watchedMonths(now time.Time) []string {
	var months []string
	first := time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, now.Location())
	for back := range monthsWatched + 1 {
		month := first.AddDate(0, -back, 0)
		months = append(months, month.Format("2006"), month.Format("2006/01"))
	}
	return months
}

// isWatched reports whether a scan watches the directory relDir, a path relative to the directory
// of the logs. It is true for ".", for the directories in months, and for the directories of days
// in them.
func isWatched(relDir string, months []string) bool {
	return relDir == "." || slices.Contains(months, relDir) || strings.Count(relDir, "/") == 2 && slices.Contains(months, path.Dir(relDir))
}

// saveLogs reads the logs in entries whose signature in known differs or is absent, and saves them
// in batches. It omits files that are missing by now. It emits an event for each batch, with the
// day of its logs, or without a day if they have several. It fails with memories.ErrOutOfFiles if
// it could not open more files; earlier batches stay saved.
func saveLogs(ctx context.Context, tx *agenttx.Tx, entries []agents.Entry, known map[string]int64, at time.Time) error {
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
		tx.Emit(events.Logged, string(day))
		changed, size = nil, 0
		return nil
	}
	for _, entry := range entries {
		if signature, ok := known[entry.Path]; ok && signature == entry.Signature() {
			continue
		}
		log, exists, err := readLog(tx, entry, at)
		if err != nil {
			return err
		}
		if !exists {
			continue
		}
		changed = append(changed, log)
		if size += len(log.Text); len(changed) == logBatchSize || size >= maxLogBatchBytes {
			if err := save(); err != nil {
				return err
			}
		}
	}
	return save()
}

// readLog reads the last logs.MaxRead bytes of a log file. A log that cannot be read becomes a Log
// with a problem and without text, without an error. exists is false if the file was removed after
// the walk. err is only memories.ErrOutOfFiles.
func readLog(tx *agenttx.Tx, entry agents.Entry, at time.Time) (l records.Log, exists bool, err error) {
	_, relPath := tx.Agent.LogDirOf(entry.Path)
	place := logs.PlaceOf(relPath)
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
	if entry.Problem != nil { // it replaces a problem of the path
		l.Problems = []string{entry.Problem.Code}
		return l, true, nil
	}
	raw, cut, err := agents.ReadEnd(tx.Root, entry.Path, logs.MaxRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, false, nil
	case files.IsExhausted(err):
		return l, false, agenttx.OutOfFiles(err)
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
