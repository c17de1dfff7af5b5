package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/memories"
	"memoir/internal/wire"
)

// reviewCall is one run of review, with its flags.
type reviewCall struct {
	*World
	remote.Server
	flags       *flag.FlagSet
	agent, kind string
	bodyFile    string
	days        int
	json        bool
}

// reviewPage is the number of items in a request.
const reviewPage = 500

// maxSnooze is the longest snooze in days that the API allows.
const maxSnooze = 365

// reviewVerbs defines the subcommands of review.
var reviewVerbs = map[string]struct {
	run   func(c *reviewCall, ctx context.Context, words []string) error
	takes []string // the names of its arguments
	flags []string // its own flags; the other subcommands reject them
}{
	"list":   {(*reviewCall).list, nil, []string{"agent", "kind"}},
	"show":   {(*reviewCall).show, []string{"ID"}, nil},
	"decide": {(*reviewCall).decide, []string{"ID", "DECISION"}, []string{"body-file", "days"}},
	"undo":   {(*reviewCall).undo, []string{"ID"}, nil},
}

// runReview runs review. Without a subcommand it asks about one item after the other in a terminal,
// and lists them elsewhere.
func runReview(ctx context.Context, w *World, args []string) error {
	c := &reviewCall{World: w, flags: flag.NewFlagSet("review", flag.ContinueOnError)}
	server := addressFlags(c.flags)
	c.flags.StringVar(&c.agent, "agent", "", "")
	c.flags.StringVar(&c.kind, "kind", "", "")
	c.flags.StringVar(&c.bodyFile, "body-file", "", "")
	c.flags.IntVar(&c.days, "days", 0, "")
	c.flags.BoolVar(&c.json, "json", false, "")
	words, err := parse(c.flags, args)
	if err != nil {
		return err
	}
	verb := "list"
	isWalk := len(words) == 0 && !c.json && c.isTerminal()
	if len(words) > 0 {
		verb, words = words[0], words[1:]
	}
	does, known := reviewVerbs[verb]
	if !known {
		return misused("unknown command review %q: use list, show, decide or undo", verb)
	}
	for _, name := range []string{"agent", "kind", "body-file", "days"} {
		if given(c.flags, name) && !slices.Contains(does.flags, name) {
			return misused("review %s takes no --%s", verb, name)
		}
	}
	switch {
	case len(words) < len(does.takes):
		return misused("review %s takes %s", verb, strings.Join(does.takes, " and "))
	case len(words) > len(does.takes):
		return misused("review %s takes no further words, such as %q", verb, strings.Join(words[len(does.takes):], " "))
	}
	if c.Server, err = w.addressOf(server); err != nil {
		return err
	}
	if isWalk {
		err = c.walk(ctx)
	} else {
		err = does.run(c, ctx, words)
	}
	var absent *remote.AbsentError
	if errors.As(err, &absent) {
		return fmt.Errorf("%w; the review needs a running server", err)
	}
	return err
}

// isTerminal reports whether a person can answer at standard input.
func (c *reviewCall) isTerminal() bool {
	in, isFile := c.Stdin.(*os.File)
	out, isFileToo := c.Stdout.(*os.File)
	return isFile && isFileToo && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd()))
}

// rawReview is the queue with the server's own JSON of each item.
type rawReview struct {
	Items      []json.RawMessage `json:"items"`
	Counts     map[string]int    `json:"counts"`
	Total      int               `json:"total"`
	NextCursor *string           `json:"next_cursor"`
}

// queue returns the items that the flags select, of all pages.
func (c *reviewCall) queue(ctx context.Context) (memorystore.Answer[wire.ReviewList], error) {
	query := url.Values{"limit": {strconv.Itoa(reviewPage)}}
	for name, value := range map[string]string{"agent": c.agent, "kind": c.kind} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var whole memorystore.Answer[wire.ReviewList]
	raw := rawReview{Items: []json.RawMessage{}}
	for {
		var page wire.ReviewList
		text, err := c.Call(ctx, http.MethodGet, "/review?"+query.Encode(), nil, &page)
		if err != nil {
			return whole, err
		}
		var rawPage rawReview
		if err := json.Unmarshal(text, &rawPage); err != nil {
			return whole, err
		}
		whole.Value.Items = append(whole.Value.Items, page.Items...)
		raw.Items = append(raw.Items, rawPage.Items...)
		raw.Counts, raw.Total = rawPage.Counts, rawPage.Total
		if page.NextCursor == nil {
			break
		}
		query.Set("cursor", *page.NextCursor)
	}
	text, err := json.Marshal(raw)
	whole.JSON = text
	return whole, err
}

func (c *reviewCall) list(ctx context.Context, _ []string) error {
	found, err := c.queue(ctx)
	if err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, found, writeReview)
}

func itemPath(id string) string { return "/review/" + url.PathEscape(id) }

func (c *reviewCall) show(ctx context.Context, words []string) error {
	var item memorystore.Answer[wire.ReviewItem]
	var err error
	if item.JSON, err = c.Call(ctx, http.MethodGet, itemPath(words[0]), nil, &item.Value); err != nil {
		return err
	}
	if c.json {
		return printAnswer(c.Stdout, true, item, nil)
	}
	texts, err := c.texts(ctx, item.Value)
	if err != nil {
		return err
	}
	return writeReviewItem(c.Stdout, item.Value, texts)
}

// maxReviewTexts is the maximum number of memories of an item that are shown.
const maxReviewTexts = 4

// texts returns the first memories of an item. Secrets are masked.
func (c *reviewCall) texts(ctx context.Context, item wire.ReviewItem) ([]wire.Memory, error) {
	var texts []wire.Memory
	for _, of := range item.Memories[:min(len(item.Memories), maxReviewTexts)] {
		var m wire.Memory
		if _, err := c.Call(ctx, http.MethodGet, "/agents/"+url.PathEscape(item.Agent)+"/memories/"+url.PathEscape(of.ID), nil, &m); err != nil {
			return nil, err
		}
		texts = append(texts, m)
	}
	return texts, nil
}

// reviewDecision is the API's answer to a decision.
type reviewDecision struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Agent    string `json:"agent"`
	Decision string `json:"decision"`
	Undoable bool   `json:"undoable"`
}

func (c *reviewCall) decide(ctx context.Context, words []string) error {
	body := map[string]any{"decision": words[1]}
	switch {
	case given(c.flags, "days") && words[1] != "snooze":
		return misused("--days is only for snooze")
	case given(c.flags, "days") && (c.days < 1 || c.days > maxSnooze):
		return misused("--days must be 1 to %d", maxSnooze)
	case given(c.flags, "days"):
		body["days"] = c.days
	case given(c.flags, "body-file") && words[1] != "merge":
		return misused("--body-file is only for merge")
	case words[1] == "merge" && c.bodyFile == "":
		return misused("merge needs --body-file with the merged text")
	case words[1] == "merge":
		text, err := c.readFile(c.bodyFile)
		if err != nil {
			return err
		}
		body["body"] = text
	}
	decided, err := c.send(ctx, words[0], body)
	if err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, decided, func(to io.Writer, d reviewDecision) error {
		way := "this cannot be undone"
		if d.Undoable {
			way = "undo: memoir review undo " + d.ID
		}
		_, err := fmt.Fprintf(to, "decided %s: %s; %s\n", terminal.Printable(d.Kind), decisionWords(d.Decision), terminal.Printable(way))
		return err
	})
}

// readFile returns the text of a file, or of standard input for "-".
func (c *reviewCall) readFile(name string) (string, error) {
	from := c.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, memories.MaxFileSize+1))
	if err != nil {
		return "", fmt.Errorf("the text cannot be read: %w", err)
	}
	return string(text), nil
}

// send posts a decision about an item.
func (c *reviewCall) send(ctx context.Context, id string, body map[string]any) (memorystore.Answer[reviewDecision], error) {
	var decided memorystore.Answer[reviewDecision]
	var err error
	decided.JSON, err = c.Call(ctx, http.MethodPost, itemPath(id), body, &decided.Value)
	return decided, err
}

func (c *reviewCall) undo(ctx context.Context, words []string) error {
	undone, err := c.takeBack(ctx, words[0])
	if err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, undone, func(to io.Writer, d reviewDecision) error {
		_, err := fmt.Fprintf(to, "undone %s: %s\n", terminal.Printable(d.Kind), decisionWords(d.Decision))
		return err
	})
}

// takeBack undoes the decision about an item.
func (c *reviewCall) takeBack(ctx context.Context, id string) (memorystore.Answer[reviewDecision], error) {
	var undone memorystore.Answer[reviewDecision]
	var err error
	undone.JSON, err = c.Call(ctx, http.MethodPost, itemPath(id)+"/undo", nil, &undone.Value)
	return undone, err
}

// decisionWords returns a decision of the API in words: keep_1 is "keep 1".
func decisionWords(decision string) string {
	return strings.ReplaceAll(terminal.Printable(decision), "_", " ")
}
