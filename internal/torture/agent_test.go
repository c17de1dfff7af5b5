package torture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// hand is an agent that changes its own files. It writes in place, saves by renaming, removes,
// moves and copies files. Sometimes it writes an earlier text again.
type hand struct {
	*ledger
	random  *rand.Rand
	counter int
	written map[string][]string // earlier texts by path
	session [talks]bool         // true for each session that exists
}

func (l *ledger) newHand() *hand {
	return &hand{ledger: l, random: l.draws(l.slug + "hand"), written: map[string][]string{}}
}

// work changes files until ctx ends, with a random pause below 20 ms after each change.
func (h *hand) work(ctx context.Context) {
	for ctx.Err() == nil {
		h.change()
		time.Sleep(time.Duration(h.random.IntN(20)) * time.Millisecond)
	}
}

// change makes one random change to the files.
func (h *hand) change() {
	var err error
	switch n := h.random.IntN(10); {
	case n < 5:
		err = h.minute()
	case n < 7:
		err = h.copied()
	default:
		err = h.talk()
	}
	// A deletion through the API may have removed the file in the meantime.
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.Error(err)
	}
}

// note returns the text of a memory file with a body that no earlier file had.
func (h *hand) note(name, kind string) string {
	h.counter++
	return fmt.Sprintf("---\nname: %s\ndescription: d\ntype: %s\n---\n\n%s from the agent, %d\n", name, kind, h.slug, h.counter)
}

// minute writes or removes a file of the family ofMinutes: the only file of its memory.
func (h *hand) minute() error {
	i := h.random.IntN(minutes)
	path := h.path(minuteFile(i))
	text := h.note(nameOf(ofMinutes, i), "project")
	if once := h.written[path]; len(once) > 0 && h.random.IntN(4) == 0 {
		text = once[h.random.IntN(len(once))]
	}
	switch h.random.IntN(5) {
	case 0:
		return os.Remove(path)
	case 1, 2:
		h.keep(path, text)
		return os.WriteFile(path, []byte(text), 0o644)
	default:
		h.keep(path, text)
		return saveByRenaming(path, text)
	}
}

func minuteFile(i int) string { return fmt.Sprintf("memory/m%d.md", i) }

// keep stores a text of a file for a later write, at most 20 texts for each file.
func (h *hand) keep(path, text string) {
	const few = 20
	if len(h.written[path]) < few {
		h.written[path] = append(h.written[path], text)
		return
	}
	h.written[path][h.random.IntN(few)] = text
}

func saveByRenaming(path, text string) error {
	if err := os.WriteFile(path+".tmp", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// copied writes, moves, copies or removes a file of the family ofCopies. Several files may carry
// such a memory.
func (h *hand) copied() error {
	i := h.random.IntN(copies)
	places := []string{h.path(fmt.Sprintf("memory/c%d.md", i)), h.path(fmt.Sprintf("memory/deep/c%d.md", i))}
	for talk, there := range h.session {
		if there {
			places = append(places, h.path(sessionFile(talk, fmt.Sprintf("c%d.md", i))))
		}
	}
	from, to := places[h.random.IntN(2)], places[h.random.IntN(len(places))]
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	switch h.random.IntN(8) {
	case 0:
		return os.Remove(from)
	case 1, 2:
		return os.Rename(from, to)
	case 3, 4:
		return copyWithTimes(from, to)
	case 5: // the file gets the name of another memory
		return saveByRenaming(to, h.note(nameOf(ofCopies, h.random.IntN(copies)), "feedback"))
	default:
		return saveByRenaming(to, h.note(nameOf(ofCopies, i), "feedback"))
	}
}

// copyWithTimes copies a file with its times (cp -p). It does nothing if the source is missing.
func copyWithTimes(from, to string) error {
	if _, err := os.Stat(from); err != nil || from == to {
		return err
	}
	out, err := exec.Command("cp", "-p", from, to).CombinedOutput()
	if err != nil && strings.Contains(string(out), "No such file") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cp -p %s %s: %w: %s", from, to, err, out)
	}
	return nil
}

// talk starts a session, writes into an open one, or removes the directory of one.
func (h *hand) talk() error {
	i := h.random.IntN(talks)
	if h.session[i] && h.random.IntN(4) == 0 {
		h.session[i] = false
		return os.RemoveAll(h.path(sessionDir(i)))
	}
	h.session[i] = true
	if err := os.MkdirAll(h.path(sessionDir(i)+"/memory"), 0o755); err != nil {
		return err
	}
	for j := range 2 {
		name := nameOf(ofSessions, 2*i+j)
		if err := saveByRenaming(h.path(sessionFile(i, strings.ToLower(name)+".md")), h.note(name, "reference")); err != nil {
			return err
		}
	}
	return nil
}

func sessionDir(i int) string { return fmt.Sprintf("sessions/U%d-C1-1700000000.%06d", i, i) }

func sessionFile(i int, name string) string { return sessionDir(i) + "/memory/" + name }
