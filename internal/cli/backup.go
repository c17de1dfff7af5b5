package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/backup/archive"
	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
)

const backupHelp = `Saves everything that Memoir keeps in one file, while the server runs: all memories with their history, the
trash, the journal, decisions, and the memory files of every agent. The file has every memory that was saved before.

Usage: memoir backup [FILE] [flags]

  FILE                      the new file, or a directory for it; - is standard output
                            (default memoir-TIME.tar.zst in the working directory)

  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Only you can read the file. Files that could not be read are named on standard error. For backups without asking, start
the server with --backup-dir.

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const restoreHelp = `Puts a backup back on an empty machine: the database, and the memory files where they are missing. It
runs without a server, and never replaces a file.

Usage: memoir restore FILE [flags]

  FILE                      a file of memoir backup or of --backup-dir

  --dry-run                 check everything, and list the files that stay as they are; change nothing
  --map OLD=NEW             files that were in the directory OLD go to NEW (repeatable)
  --data-dir DIR            directory of the private Postgres; also MEMOIR_DATA_DIR
                            (default $XDG_DATA_HOME/memoir, else ~/.local/share/memoir)
  --database-url URL        your own Postgres, without data of Memoir; also MEMOIR_DATABASE_URL and DATABASE_URL

The whole file is checked before anything is written. If a restore is interrupted, run it again.

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

// runBackup downloads a backup from the running server and saves it in a file.
func runBackup(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("backup", flag.ContinueOnError)
	at := addressFlags(flags)
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) > 1 {
		return misused("backup takes one FILE")
	}
	server, err := w.addressOf(at)
	if err != nil {
		return err
	}
	download := func(to io.Writer) error { return server.Download(ctx, "/backup", to) }
	if len(words) == 1 && words[0] == "-" {
		return pipeBackup(download, w.Stdout)
	}
	file := archive.FileName(time.Now())
	if len(words) == 1 {
		file = words[0]
	}
	if isDirectory(file) {
		file = filepath.Join(file, archive.FileName(time.Now()))
	}
	manifest, err := archive.Save(file, download)
	var absent *remote.AbsentError
	switch {
	case errors.As(err, &absent):
		return fmt.Errorf("%w. A backup needs the running server, because only it reaches the private database", err)
	case errors.Is(err, os.ErrExist):
		return fmt.Errorf("%s exists and was not replaced. Choose another name", file)
	case err != nil:
		return fmt.Errorf("no backup was made: %w", err)
	}
	fmt.Fprintf(w.Stdout, "Backup in %s: %s.\n", file, contentOf(manifest))
	for i, left := range manifest.LeftOut {
		if i == maxListed {
			fmt.Fprintf(w.Stderr, "memoir: and %d more; %s in the backup has all\n", len(manifest.LeftOut)-i, "manifest.json")
			break
		}
		fmt.Fprintf(w.Stderr, "memoir: left out: %s (%s)\n", terminal.PrintableText(left.Path), terminal.PrintableText(left.Reason))
	}
	return nil
}

// maxListed is the number of paths in a list for people. Arbitrary.
const maxListed = 20

// pipeBackup writes a backup to out while it verifies it.
func pipeBackup(download func(io.Writer) error, out io.Writer) error {
	read, write := io.Pipe()
	verified := make(chan error, 1)
	go func() {
		_, err := archive.Verify(read)
		_, _ = io.Copy(io.Discard, read) // the download must not wait
		verified <- err
	}()
	err := download(io.MultiWriter(out, write))
	_ = write.CloseWithError(err) // a nil error means the end
	if failed := <-verified; err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("the backup is incomplete, do not use it: %w", err)
	}
	return nil
}

// contentOf returns what is in a backup, for people.
func contentOf(m archive.Manifest) string {
	return fmt.Sprintf("%s, %s, %s, %s", countOf(int64(len(m.Agents)), "agent", "agents"), countOf(m.Rows("memories"), "memory", "memories"),
		countOf(m.Rows("revisions"), "revision", "revisions"), countOf(int64(m.Files()), "file", "files"))
}

func countOf(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Restore is what a restore does.
type Restore struct {
	File                 string
	DryRun               bool
	Moves                []Move
	DataDir, DatabaseURL *string // nil: from the environment
}

// Move is a directory of a backup that is at another place now. Both paths are absolute.
type Move struct{ From, To string }

// Restored is the result of a restore, or of its dry run.
type Restored struct {
	Manifest archive.Manifest
	Database string   // the database, for people
	Written  int      // files that were missing
	Same     int      // files that were there with the same bytes
	Kept     []string // files that are there with other bytes
}

// runRestore puts a backup back, without a server.
func runRestore(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("restore", flag.ContinueOnError)
	var r Restore
	flags.BoolVar(&r.DryRun, "dry-run", false, "")
	text := func(to **string) func(string) error {
		return func(value string) error { *to = &value; return nil }
	}
	flags.Func("data-dir", "", text(&r.DataDir))
	flags.Func("database-url", "", text(&r.DatabaseURL))
	flags.Func("map", "", func(value string) error {
		from, to, _ := strings.Cut(value, "=")
		if !filepath.IsAbs(from) || !filepath.IsAbs(to) {
			return errors.New("it must be OLD=NEW, two absolute directories, such as /home/ada/agents=/srv/agents")
		}
		r.Moves = append(r.Moves, Move{filepath.Clean(from), filepath.Clean(to)})
		return nil
	})
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return misused("restore takes one FILE")
	}
	r.File = words[0]
	done, err := w.Restore(ctx, r)
	if err != nil {
		return fmt.Errorf("cannot restore %s: %w", r.File, err)
	}
	say := func(format string, values ...any) { fmt.Fprintf(w.Stdout, format+"\n", values...) }
	say("Backup of %s, Memoir %s: %s.", done.Manifest.StartedAt.UTC().Format("2006-01-02 15:04 UTC"), terminal.PrintableText(done.Manifest.Memoir), contentOf(done.Manifest))
	written, database := "written", "Restored into %s."
	if r.DryRun {
		written, database = "to write", "Can be restored into %s. Nothing was changed."
	}
	say("Files: %d %s, %d there already.", done.Written, written, done.Same)
	if len(done.Kept) > 0 {
		say("These have other contents on disk, and stay. The history has the contents of the backup:")
		for i, path := range done.Kept {
			if i == maxListed && !r.DryRun {
				say("  and %d more", len(done.Kept)-i)
				break
			}
			say("  %s", terminal.PrintableText(path))
		}
	}
	say(database, done.Database)
	if !r.DryRun {
		say("Start Memoir now.")
	}
	return nil
}
