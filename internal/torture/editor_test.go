package torture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const (
	indexHeading = "# What I know\n\nm0.md is a file, and this is no link to it.\n\n"
	blockBegins  = "<!-- memoir:begin -->\n"
	blockEnds    = "<!-- memoir:end -->\n"
)

func indexLine(i int) string {
	return fmt.Sprintf("- [%s](m%d.md) — number %d\n", nameOf(ofMinutes, i), i, i)
}

// editor writes by hand into the two files that Memoir also writes: above the block in CLAUDE.md,
// and into MEMORY.md. It saves by renaming or in place. A save in place while Memoir replaces the
// file appears a little later, and is lost if Memoir is killed before. The editor then saves again.
type editor struct {
	*ledger
	random  *rand.Rand
	counter int
}

// mayTakeOver is the maximum time that a running server needs to restore a text saved into a file
// that it had just replaced.
const mayTakeOver = 5 * time.Second

// edits counts saves of all editors of a place: saves in place, repeated saves, and reads that did
// not find the saved text.
type edits struct{ inPlace, again, away atomic.Int64 }

// fewLost fails the test if more than one save in place, plus one in 1,000, was lost.
func (p *place) fewLost() {
	p.Helper()
	p.Logf("%d times something was saved in place, %d times again; %d looks while it was away", p.edits.inPlace.Load(), p.edits.again.Load(), p.edits.away.Load())
	if p.edits.again.Load() > 1+p.edits.inPlace.Load()/1000 {
		p.Error("what is saved in place is lost too often")
	}
}

func (l *ledger) newEditor() *editor {
	return &editor{ledger: l, random: l.draws(l.slug + "editor")}
}

func (e *editor) work(ctx context.Context) {
	for ctx.Err() == nil {
		e.change(ctx)
		time.Sleep(time.Duration(20+e.random.IntN(100)) * time.Millisecond)
	}
}

func (e *editor) change(ctx context.Context) {
	var err error
	if e.random.IntN(3) == 0 {
		err = e.addToIndex()
	} else {
		err = e.rewriteAbove(ctx)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.Error(err)
	}
}

// rewriteAbove replaces the text above Memoir's block in CLAUDE.md.
func (e *editor) rewriteAbove(ctx context.Context) error {
	e.counter++
	path, above := e.path("CLAUDE.md"), fmt.Sprintf("%s\nedited by hand, %d\n", handwritten, e.counter)
	raw, err := e.readOwn(ctx, path)
	if err != nil || ctx.Err() != nil {
		return err // the final check reads what is left
	}
	text := above
	if begin := strings.Index(raw, blockBegins); begin >= 0 {
		text += "\n" + raw[begin:]
	}
	e.mu.Lock()
	e.checkAbove(raw)
	e.above = above
	e.mu.Unlock()
	return e.save(path, text, func(is string) bool { return aboveOf(is) == above })
}

// readOwn returns CLAUDE.md once it has the editor's last text above Memoir's block, and at the
// latest after mayTakeOver. A text saved while Memoir replaced the file is missing until Memoir
// restores it.
func (e *editor) readOwn(ctx context.Context, path string) (text string, err error) {
	for deadline := time.Now().Add(mayTakeOver); ; time.Sleep(5 * time.Millisecond) {
		raw, err := os.ReadFile(path)
		if err != nil || aboveOf(string(raw)) == e.above || ctx.Err() != nil || time.Now().After(deadline) {
			return string(raw), err
		}
		e.edits.away.Add(1)
	}
}

// save writes a file in place or by renaming. After a write in place it waits until isKept accepts
// the file, and saves again if it does not.
func (e *editor) save(path, text string, isKept func(is string) bool) error {
	if e.random.IntN(2) == 0 {
		return saveByRenaming(path, text)
	}
	e.edits.inPlace.Add(1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	for deadline := time.Now().Add(mayTakeOver); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if raw, err := os.ReadFile(path); err == nil && isKept(string(raw)) {
			return nil
		}
	}
	e.edits.again.Add(1)
	return saveByRenaming(path, text)
}

// checkAbove checks that text has the editor's last text above Memoir's block. The caller holds the
// lock.
func (l *ledger) checkAbove(text string) {
	l.Helper()
	if above := aboveOf(text); above != l.above {
		l.Errorf("CLAUDE.md of %s has %q above Memoir's block, and %q was written there", l.slug, above, l.above)
	}
}

// aboveOf returns the text above Memoir's block.
func aboveOf(text string) string {
	above, _, found := strings.Cut(text, blockBegins)
	if found {
		above = strings.TrimSuffix(above, "\n")
	}
	return above
}

// mostNoted is the maximum number of lines that the editor adds to MEMORY.md before it removes
// some.
const mostNoted = 20

// addToIndex adds a line to MEMORY.md that links to no file of the agent.
func (e *editor) addToIndex() error {
	e.counter++
	path := e.path("memory/MEMORY.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(raw)
	e.mu.Lock()
	if len(e.noted) == mostNoted {
		text = strings.Replace(text, e.noted[0], "", 1)
		e.noted = e.noted[1:]
	}
	line := fmt.Sprintf("- [Site %d](https://example.org/%d) — by hand\n", e.counter, e.counter)
	e.noted = append(e.noted, line)
	e.mu.Unlock()
	return e.save(path, text+line, func(is string) bool { return strings.Contains(is, line) })
}
