package agentdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"memoir/internal/files"
	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/scan"
)

// LogEntry is an event for an agent's log.
type LogEntry struct {
	Text  string // Markdown; further lines are indented below its bullet
	Title string // title of its own file for the day; empty for the log of the whole day
	// At is the time of the event: today or yesterday in the server's zone, and not in the future.
	// Engine.AppendLog replaces the zero time by the present one.
	At time.Time
}

// Logged is an appended entry and its place.
type Logged struct {
	Day  logs.Day
	Path string // relative to the agent's directory
	At   time.Time
	Line string // the appended text without its last line end
}

// AppendLog appends an entry to the agent's log file for its day and title, or creates the file,
// and scans it. The entry is on disk when it returns. If the scan fails, it requests another one
// and succeeds. It returns memories.ErrNotFound for an unknown agent, *memories.InvalidError for an
// invalid text, title or time, and *memories.ConflictError if the file cannot be written.
func (d *Directory) AppendLog(ctx context.Context, slug string, entry LogEntry) (Logged, error) {
	entry.At, entry.Title = entry.At.Local(), strings.TrimSpace(entry.Title)
	if err := logs.Check(entry.Text, entry.Title, entry.At, time.Now()); err != nil {
		return Logged{}, err
	}
	var logged Logged
	err := d.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if err := tx.CanWrite(ctx); err != nil {
			return err
		}
		line := logs.Entry(entry.At, entry.Text)
		logged = Logged{
			Day: logs.DayOf(entry.At), Path: path.Join(tx.Agent.LogDirs()[0], logs.File(entry.At, entry.Title)),
			At: entry.At.UTC(), Line: strings.TrimSuffix(line, "\n"),
		}
		if err := appendTo(tx, logged.Path, logs.Heading(logged.Day, entry.Title), line); err != nil {
			return err
		}
		if _, err := d.Scanner.Run(ctx, tx, scan.Request{Paths: []string{logged.Path}}); err != nil {
			tx.Rescan(logged.Path)
		}
		return nil
	})
	return logged, err
}

// appendAttempts is how often appendTo tries, if another process replaces or creates the file.
// Arbitrary.
const appendAttempts = 5

// appendTo appends line to a file. It creates a missing file with heading and line. It returns a
// conflict if the file cannot be written; a part of line may be in the file then.
func appendTo(tx *agenttx.Tx, relPath, heading, line string) error {
	var err error
	for range appendAttempts {
		err = tx.Disk.Append(tx.Root, relPath, []byte(line))
		if errors.Is(err, fs.ErrNotExist) {
			err = tx.Disk.Write(tx.Root, relPath, []byte(heading+line), files.Options{New: true})
		}
		if !errors.Is(err, files.ErrExists) && !errors.Is(err, files.ErrChanged) {
			break // otherwise another process has created or replaced the file
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, files.ErrLeaves):
		return &memories.ConflictError{Reason: relPath + " leads out of the agent's directory. Nothing was written. Replace it with a real directory."}
	case errors.Is(err, files.ErrNotRegular):
		return &memories.ConflictError{Reason: relPath + " is not a file. Nothing was written. Remove it and try again."}
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("Entry not added to %s (%v). Earlier entries are unchanged, but part of the new one may be at the end. Try again.", relPath, agenttx.FSCause(err))}
}
