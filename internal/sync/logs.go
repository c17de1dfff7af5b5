package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/records"
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
	// appendAttempts is how often an entry is appended anew when another file has taken the place of the one that had it.
	appendAttempts = 5
)

// logState is what the last scan of all logs of an agent has seen; the zero value: nothing is known.
type logState struct {
	known bool
	files int
	sum   int64 // the exclusive or of their signatures
}

// scanLogs mirrors the agent's logs, as far as they are in the paths, and returns the directories that are to be watched.
func (h *hold) scanLogs(ctx context.Context, paths []string, at time.Time) (watched []string, err error) {
	logDirs := logPaths(h.onDisk, paths)
	if len(logDirs) == 0 {
		return nil, nil
	}
	months := watchedMonths(time.Now())
	listing := agents.WalkLogs(h.root, h.onDisk, paths, func(dir string) {
		if _, within := h.onDisk.LogDirOf(dir); isWatched(within, months) {
			h.watchBelow(dir)
			watched = append(watched, dir)
		}
	})
	if listing.Exhausted != nil {
		return nil, scanError(listing.Exhausted)
	}
	seen := logState{known: true, files: len(listing.Files)}
	for _, entry := range listing.Files {
		signature := entry.Signature()
		seen.sum ^= signature
		seen.known = seen.known && entry.ChangeTime < at.Add(-agents.TimestampSlack).UnixNano()
	}
	if isFullScan(paths) && seen.known && seen == h.lastLogs {
		return watched, nil
	}
	h.lastLogs = logState{}
	listing.Files = slices.DeleteFunc(listing.Files, func(e agents.Entry) bool { // on the way there
		return !slices.ContainsFunc(logDirs, func(relPath string) bool { return under(e.Path, relPath) })
	})
	known, err := h.w.LogSignatures(ctx, logDirs)
	if err != nil {
		return watched, err
	}
	unread, err := h.saveLogs(ctx, listing.Files, known, at)
	if err != nil {
		return watched, err
	}
	seen.known = seen.known && !unread
	if gone := listing.Gone(slices.Sorted(maps.Keys(known))); len(gone) > 0 {
		if err := h.w.ForgetLogs(ctx, gone); err != nil {
			return watched, err
		}
		h.emitLogs("")
	}
	if isFullScan(paths) {
		h.lastLogs = seen
	}
	return watched, nil
}

// logPaths returns the paths at and below which a scan of the paths may have seen logs.
func logPaths(a agents.Agent, paths []string) []string {
	if isFullScan(paths) {
		return a.LogDirs()
	}
	var logDirs []string
	for _, p := range paths {
		dir, within := a.LogDirOf(p)
		switch {
		case dir == "":
			for _, top := range a.LogDirs() {
				if under(top, p) {
					logDirs = append(logDirs, top)
				}
			}
		case within == ".":
			logDirs = append(logDirs, dir)
		default:
			logDirs = append(logDirs, path.Dir(p))
		}
	}
	return logDirs
}

// isLogsOnly reports whether a scan of the paths is one at logs alone.
func (h *hold) isLogsOnly(paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool {
		dir, _ := h.onDisk.LogDirOf(p)
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
func (h *hold) saveLogs(ctx context.Context, entries []agents.Entry, known map[string]int64, at time.Time) (unread bool, err error) {
	var changed []records.Log
	size := 0
	save := func() error {
		if len(changed) == 0 {
			return nil
		}
		if err := h.w.SaveLogs(ctx, changed); err != nil {
			return err
		}
		day := changed[0].Day
		if slices.ContainsFunc(changed, func(l records.Log) bool { return l.Day != day }) {
			day = ""
		}
		h.emitLogs(day)
		changed, size = nil, 0
		return nil
	}
	for _, entry := range entries {
		if signature, is := known[entry.Path]; is && signature == entry.Signature() {
			continue
		}
		log, there, err := h.readLog(entry, at)
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
func (h *hold) emitLogs(day logs.Day) {
	h.hub.Emit(events.Event{Agent: h.onDisk.Slug, Kind: events.Logged, Name: string(day)})
}

// readLog reads a log file. It is not there when it has gone since it was listed. It fails where nothing more could be opened.
func (h *hold) readLog(entry agents.Entry, at time.Time) (l records.Log, there bool, err error) {
	_, within := h.onDisk.LogDirOf(entry.Path)
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
	raw, cut, err := agents.ReadEnd(h.root, entry.Path, logs.MaxRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, false, nil
	case files.IsExhausted(err):
		return l, false, scanError(err)
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

// LogEntry is something that happened, for an agent's log.
type LogEntry struct {
	Text  string // Markdown; further lines are indented below its bullet
	Title string // empty: it goes to the log of the day as a whole
	// At is when it happened, today or yesterday in the server's zone; the zero time: now.
	At time.Time
}

// Logged says where an entry was appended.
type Logged struct {
	Day  logs.Day
	Path string // relative to the agent's directory
	At   time.Time
	Line string // as it was written, without a line end
}

// AppendLog appends an entry to an agent's log, which is only ever added to: what is there stays as it is, and two who append at
// once lose nothing. When it returns, the entry is on disk, and in the database too unless that has just gone: then it follows with the
// next scan. The day and the time of day are those of the zone of the server that holds the agent's lease.
//
// It fails with memories.ErrNotFound for an unknown agent, *memories.InvalidError for what cannot be taken (a time in the future, or
// before yesterday, among it), and *memories.ConflictError where it cannot be written.
func (e *Engine) AppendLog(ctx context.Context, slug string, entry LogEntry) (Logged, error) {
	if entry.At.IsZero() {
		entry.At = time.Now().Truncate(time.Second)
	}
	return callAppendLog.do(ctx, e, slug, entry)
}

func (e *Engine) appendLogLocal(ctx context.Context, slug string, entry LogEntry) (Logged, error) {
	entry.At, entry.Title = entry.At.Local(), strings.TrimSpace(entry.Title)
	if err := logs.Check(entry.Text, entry.Title, entry.At, time.Now()); err != nil {
		return Logged{}, err
	}
	var done Logged
	err := e.withAgent(ctx, slug, func(h *hold) error {
		if err := h.canWrite(ctx); err != nil {
			return err
		}
		line := logs.Entry(entry.At, entry.Text)
		done = Logged{
			Day: logs.DayOf(entry.At), Path: path.Join(h.onDisk.LogDirs()[0], logs.File(entry.At, entry.Title)),
			At: entry.At.UTC(), Line: strings.TrimSuffix(line, "\n"),
		}
		if err := h.appendTo(done.Path, logs.Heading(done.Day, entry.Title), line); err != nil {
			return err
		}
		if _, err := h.runScan(ctx, []string{done.Path}, scanOrigin{}); err != nil {
			h.queue.Add(slug, done.Path) // said to have failed, it would be appended once more
		}
		return nil
	})
	return done, err
}

// appendTo appends to a file, which is made with its heading where it is not there.
func (h *hold) appendTo(relPath, heading, line string) error {
	var err error
	for range appendAttempts {
		err = h.disk.Append(h.root, relPath, []byte(line))
		if errors.Is(err, fs.ErrNotExist) {
			err = h.disk.Write(h.root, relPath, []byte(heading+line), files.Options{New: true})
		}
		if !errors.Is(err, files.ErrExists) && !errors.Is(err, files.ErrChanged) {
			break // else somebody else has made it, or put another in its place
		}
	}
	if err != nil {
		return notAppended(relPath, err)
	}
	return nil
}

// notAppended says why an entry could not be appended.
func notAppended(relPath string, err error) error {
	reason := fsCause(err)
	switch {
	case errors.Is(err, files.ErrLeaves):
		return &memories.ConflictError{Reason: relPath + " leads out of the agent's directory, so nothing was written. Put a directory of the agent's own in its place."}
	case errors.Is(err, files.ErrNotRegular):
		return &memories.ConflictError{Reason: relPath + " is no file, so nothing was written. Remove what has its name, and try again."}
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The entry could not be appended to %s (%v). What was in it is there as before, at most with a part of the entry at its end. Try again.", relPath, reason)}
}
