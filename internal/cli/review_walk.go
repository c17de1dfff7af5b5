package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/term"

	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/wire"
)

// The keys that mean the same for each item.
const (
	keyNext = "n"
	keyUndo = "u"
	keyQuit = "q"
)

// decisionKeys are the keys of decisions: digits keep, a accepts, d deletes or refuses, z snoozes.
var decisionKeys = map[string]string{
	"keep_1": "1", "keep_2": "2", "keep_3": "3", "keep_4": "4", "remove_value": "1", "use_file": "2", "write_back": "w", "keep_both": "b",
	"allow": "a", "keep": "a", "accept": "a", "apply": "a", "delete": "d", "dismiss": "d", "skip": "d", "fix": "f", "still_true": "v", "snooze": "z",
}

// keyOf returns the key of a decision about an item of a kind, or "" if it has none.
func keyOf(kind, decision string) string {
	if kind == "unfinished" && decision == "write_back" {
		return "1"
	}
	return decisionKeys[decision]
}

// walk asks about one item after the other, until the end of the queue or the key q. A decision
// that fails is reported, and the item is asked again. It returns an error if the server does not
// answer.
func (c *reviewCall) walk(ctx context.Context) error {
	found, err := c.queue(ctx)
	if err != nil {
		return err
	}
	items, decided := found.Value.Items, []string{}
	if len(items) == 0 {
		return writeReview(c.Stdout, found.Value)
	}
	for i := 0; i < len(items); {
		texts, err := c.texts(ctx, items[i])
		var absent *remote.AbsentError
		if errors.As(err, &absent) {
			return err
		}
		if err != nil { // for example deleted since
			fmt.Fprintf(c.Stdout, "\n%s: %s\n", terminal.Printable(namesOf(items[i])), terminal.Printable(err.Error()))
			i++
			continue
		}
		fmt.Fprintf(c.Stdout, "\n[%d of %d] %s: %s (%s)\n", i+1, len(items), terminal.Printable(items[i].Kind), terminal.Printable(items[i].Reason), terminal.Printable(items[i].Agent))
		if len(items[i].Memories) == 0 {
			fmt.Fprintf(c.Stdout, "\n%s\n", terminal.Printable(namesOf(items[i])))
		}
		if err := writeReviewTexts(c.Stdout, items[i], texts); err != nil {
			return err
		}
		isDone, err := c.ask(ctx, items[i], &decided)
		if errors.Is(err, errQuit) {
			break
		}
		if err != nil {
			return err
		}
		if isDone {
			i++
		}
	}
	fmt.Fprintf(c.Stdout, "\n%d decided\n", len(decided))
	if last := len(decided) - 1; last >= 0 {
		fmt.Fprintf(c.Stdout, "undo the last one: memoir review undo %s\n", terminal.Printable(decided[last]))
	}
	return nil
}

// errQuit means that the person ends the review.
var errQuit = errors.New("review ended")

// ask reads keys until the item is decided or passed over. Then isDone is true; it is false if the
// item is to be shown again. decided are the ids of the items that were decided; undo takes the
// last one from it. It returns errQuit for the key q and at the end of input.
func (c *reviewCall) ask(ctx context.Context, item wire.ReviewItem, decided *[]string) (isDone bool, err error) {
	fmt.Fprintf(c.Stdout, "\n%s\n", keysLine(item))
	for {
		key, err := c.readKey()
		if err != nil {
			return false, err
		}
		switch key {
		case "": // also the key of decisions that have none
			continue
		case keyQuit:
			return false, errQuit
		case keyNext:
			return true, nil
		case keyUndo:
			c.undoLast(ctx, decided)
			continue
		}
		at := slices.IndexFunc(item.Decisions, func(d string) bool { return keyOf(item.Kind, d) == key })
		if at < 0 {
			continue
		}
		decision := item.Decisions[at]
		if decision == "remove_value" {
			fmt.Fprintln(c.Stdout, "This removes the value from all files and revisions, and cannot be undone. y: remove it")
			if key, err := c.readKey(); err != nil || key != "y" {
				fmt.Fprintln(c.Stdout, "nothing changed")
				return false, err
			}
		}
		etags := make([]string, len(item.Memories))
		for i, m := range item.Memories {
			etags[i] = m.ETag
		}
		body := map[string]any{"decision": decision}
		if len(etags) > 0 {
			body["etags"] = etags
		}
		result, err := c.send(ctx, item.ID, body)
		var absent *remote.AbsentError
		if errors.As(err, &absent) {
			return false, err
		}
		if err != nil {
			fmt.Fprintf(c.Stdout, "%s. n: next item\n", terminal.Printable(err.Error()))
			continue
		}
		fmt.Fprintln(c.Stdout, decisionWords(result.Value.Decision))
		*decided = append(*decided, item.ID)
		return true, nil
	}
}

// undoLast takes the last decision back, and reports the result.
func (c *reviewCall) undoLast(ctx context.Context, decided *[]string) {
	last := len(*decided) - 1
	if last < 0 {
		fmt.Fprintln(c.Stdout, "nothing to undo")
		return
	}
	undone, err := c.takeBack(ctx, (*decided)[last])
	if err != nil {
		fmt.Fprintln(c.Stdout, terminal.Printable(err.Error()))
		return
	}
	*decided = (*decided)[:last]
	fmt.Fprintf(c.Stdout, "undone: %s; the item returns at the next check\n", decisionWords(undone.Value.Decision))
}

// keysLine returns the keys of an item with their meaning.
func keysLine(item wire.ReviewItem) string {
	var keys []string
	for _, d := range item.Decisions {
		key := keyOf(item.Kind, d)
		if key == "" {
			continue
		}
		label := key + " " + decisionWords(d)
		if d == orNone(item.Recommended) {
			label += " (recommended)"
		}
		keys = append(keys, label)
	}
	return strings.Join(append(keys, keyUndo+" undo", keyNext+" next", keyQuit+" quit"), " · ")
}

const (
	ctrlC = 3
	ctrlD = 4
)

// readKey reads one key from the terminal, without waiting for Enter. An arrow is "". Of several
// keys at once it returns the first. It returns errQuit at the end of input and for Ctrl-C.
func (c *reviewCall) readKey() (string, error) {
	in := c.Stdin.(*os.File)
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", err
	}
	var read [64]byte
	n, err := in.Read(read[:])
	if restored := term.Restore(int(in.Fd()), before); restored != nil {
		return "", restored
	}
	if errors.Is(err, io.EOF) {
		return "", errQuit
	}
	if err != nil {
		return "", err
	}
	pressed := escapes.ReplaceAll(read[:n], nil)
	switch {
	case len(pressed) == 0:
		return "", nil
	case pressed[0] == ctrlC || pressed[0] == ctrlD:
		return "", errQuit
	}
	return strings.ToLower(string(pressed[:1])), nil
}

// escapes are the sequences that keys without a character send, such as arrows.
var escapes = regexp.MustCompile(`\x1b(?:[\[O][0-9;]*[@-~])?`)
