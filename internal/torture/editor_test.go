package torture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
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

// editor writes by hand into the two files that Memoir writes too: above its block in CLAUDE.md, and into MEMORY.md. It saves
// by renaming: what is written into an opened file that Memoir replaces meanwhile is lost, as the report says.
type editor struct {
	*ledger
	random  *rand.Rand
	counter int
}

func (l *ledger) newEditor() *editor {
	return &editor{ledger: l, random: l.draws(l.slug + "editor")}
}

func (e *editor) work(ctx context.Context) {
	for ctx.Err() == nil {
		e.change()
		time.Sleep(time.Duration(20+e.random.IntN(100)) * time.Millisecond)
	}
}

func (e *editor) change() {
	var err error
	if e.random.IntN(3) == 0 {
		err = e.addToIndex()
	} else {
		err = e.rewriteAbove()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.Error(err)
	}
}

// rewriteAbove puts other words above Memoir's block.
func (e *editor) rewriteAbove() error {
	e.counter++
	path, above := e.path("CLAUDE.md"), fmt.Sprintf("%s\nedited by hand, %d\n", handwritten, e.counter)
	e.mu.Lock()
	defer e.mu.Unlock()
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	e.checkAbove(string(raw))
	text := above
	if begin := strings.Index(string(raw), blockBegins); begin >= 0 {
		text += "\n" + string(raw[begin:])
	}
	e.above = above
	return saveByRenaming(path, text)
}

// checkAbove: what was last written by hand is there, whoever has written the file since. The caller holds the lock.
func (l *ledger) checkAbove(text string) {
	l.Helper()
	above, _, found := strings.Cut(text, blockBegins)
	if found {
		above = strings.TrimSuffix(above, "\n")
	}
	if above != l.above {
		l.Errorf("CLAUDE.md of %s has %q above Memoir's block, and %q was written there", l.slug, above, l.above)
	}
}

// mostNoted is how many lines are put into MEMORY.md by hand; beyond it they are taken out again.
const mostNoted = 20

// addToIndex puts a line into MEMORY.md that links to no file of the agent.
func (e *editor) addToIndex() error {
	e.counter++
	path := e.path("memory/MEMORY.md")
	e.mu.Lock()
	defer e.mu.Unlock()
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(raw)
	if len(e.noted) == mostNoted {
		text = strings.Replace(text, e.noted[0], "", 1)
		e.noted = e.noted[1:]
	}
	line := fmt.Sprintf("- [Site %d](https://example.org/%d) — by hand\n", e.counter, e.counter)
	e.noted = append(e.noted, line)
	return saveByRenaming(path, text+line)
}
