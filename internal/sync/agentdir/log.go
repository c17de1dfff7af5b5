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

func (d *Directory) AppendLog(ctx context.Context, slug string, entry LogEntry) (Logged, error) {
	entry.At, entry.Title = entry.At.Local(), strings.TrimSpace(entry.Title)
	if err := logs.Check(entry.Text, entry.Title, entry.At, time.Now()); err != nil {
		return Logged{}, err
	}
	var done Logged
	err := d.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if err := tx.CanWrite(ctx); err != nil {
			return err
		}
		line := logs.Entry(entry.At, entry.Text)
		done = Logged{
			Day: logs.DayOf(entry.At), Path: path.Join(tx.Agent.LogDirs()[0], logs.File(entry.At, entry.Title)),
			At: entry.At.UTC(), Line: strings.TrimSuffix(line, "\n"),
		}
		if err := appendTo(tx, done.Path, logs.Heading(done.Day, entry.Title), line); err != nil {
			return err
		}
		if _, err := d.Scanner.Run(ctx, tx, scan.Request{Paths: []string{done.Path}}); err != nil {
			tx.Rescan(done.Path) // said to have failed, it would be appended once more
		}
		return nil
	})
	return done, err
}

// appendTo appends to a file, which is made with its heading where it is not there.
func appendTo(tx *agenttx.Tx, place, heading, line string) error {
	var err error
	for range appendAttempts {
		err = tx.Disk.Append(tx.Root, place, []byte(line))
		if errors.Is(err, fs.ErrNotExist) {
			err = tx.Disk.Write(tx.Root, place, []byte(heading+line), files.Options{New: true})
		}
		if !errors.Is(err, files.ErrExists) && !errors.Is(err, files.ErrChanged) {
			break // else somebody else has made it, or put another in its place
		}
	}
	if err != nil {
		return notAppended(place, err)
	}
	return nil
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

// notAppended says why an entry could not be appended.
func notAppended(place string, err error) error {
	reason := agenttx.FSCause(err)
	switch {
	case errors.Is(err, files.ErrLeaves):
		return &memories.ConflictError{Reason: place + " leads out of the agent's directory, so nothing was written. Put a directory of the agent's own in its place."}
	case errors.Is(err, files.ErrNotRegular):
		return &memories.ConflictError{Reason: place + " is no file, so nothing was written. Remove what has its name, and try again."}
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The entry could not be appended to %s (%v). What was in it is there as before, at most with a part of the entry at its end. Try again.", place, reason)}
}

// appendAttempts limits how often an entry is appended again after another process has replaced the
// file. Arbitrary.
const appendAttempts = 5
