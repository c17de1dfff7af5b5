package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/memories"
	"memoir/internal/wire"
)

// memoryCall is one run of memory, with its flags.
type memoryCall struct {
	*World
	flags       *flag.FlagSet
	server      *remote.Server
	agent, dir  string
	filters     url.Values // of list; also the type for save
	kind        memories.Type
	description string
	body        string
	askedAs     []string
	limit       int
	json        bool
}

// recallLimit is the default number of recalled memories, as in Claude Code.
const recallLimit = 5

func runMemory(ctx context.Context, w *World, args []string) error {
	c := &memoryCall{World: w, flags: flag.NewFlagSet("memory", flag.ContinueOnError), filters: url.Values{}}
	c.server = addressFlags(c.flags)
	c.flags.StringVar(&c.agent, "agent", "", "")
	c.flags.StringVar(&c.dir, "dir", "", "")
	c.addFilters()
	c.flags.StringVar(&c.description, "description", "", "")
	c.flags.StringVar(&c.body, "body", "", "")
	c.flags.Func("asked-as", "", func(phrase string) error {
		c.askedAs = append(c.askedAs, phrase)
		return nil
	})
	c.flags.IntVar(&c.limit, "limit", recallLimit, "")
	c.flags.BoolVar(&c.json, "json", false, "")
	words, err := parse(c.flags, args)
	switch {
	case err != nil:
		return err
	case len(words) == 0:
		return misused("memory needs list, show, save, delete or recall")
	}
	return c.run(ctx, words[0], words[1:])
}

// filterFlag returns the name of a filter's flag: its JSON name with dashes for underscores.
func filterFlag(field memories.FilterField) string { return strings.ReplaceAll(field.JSON, "_", "-") }

// addFilters adds a flag for each filter of the list of memories. Parsing a flag puts its value
// into c.filters, unchecked.
func (c *memoryCall) addFilters() {
	for _, field := range memories.FilterFields() {
		set := func(value string) error {
			c.filters.Set(field.Name, value)
			return nil
		}
		if field.IsBool {
			c.flags.BoolFunc(filterFlag(field), "", set)
		} else {
			c.flags.Func(filterFlag(field), "", set)
		}
	}
}

// filterFlags returns the names, without dashes at the start, of the flags of all filters.
func filterFlags() []string {
	var flags []string
	for _, field := range memories.FilterFields() {
		flags = append(flags, filterFlag(field))
	}
	return flags
}

// memoryVerbs defines the subcommands of memory.
var memoryVerbs = map[string]struct {
	run   func(c *memoryCall, ctx context.Context, on memorystore.Store, subject string) error
	takes string   // the name of its argument; empty if it has none
	flags []string // its own flags; the other subcommands reject them
}{
	"list":   {(*memoryCall).list, "", filterFlags()},
	"show":   {(*memoryCall).show, "NAME", nil},
	"save":   {(*memoryCall).save, "NAME", []string{"type", "description", "body", "asked-as"}},
	"delete": {(*memoryCall).delete, "NAME", nil},
	"share":  {(*memoryCall).share, "NAME", nil},
	"recall": {(*memoryCall).recall, "QUERY", []string{"limit"}},
}

// run checks the flags and words for the subcommand verb, opens the memories, runs the subcommand,
// and returns its error. It returns a *usageError, before it opens anything, for an unknown
// subcommand or wrong flags or words.
func (c *memoryCall) run(ctx context.Context, verb string, words []string) error {
	does, known := memoryVerbs[verb]
	if !known {
		return misused("unknown command memory %q: use list, show, save, delete, share or recall", verb)
	}
	for _, name := range append(filterFlags(), "description", "body", "asked-as", "limit") {
		if given(c.flags, name) && !slices.Contains(does.flags, name) {
			return misused("memory %s takes no --%s", verb, name)
		}
	}
	subject := strings.TrimSpace(strings.Join(words, " "))
	switch {
	case does.takes == "" && len(words) > 0:
		return misused("memory %s takes no further words, such as %q", verb, subject)
	case does.takes != "" && subject == "":
		return misused("memory %s takes a %s", verb, does.takes)
	case does.takes == "NAME" && len(words) > 1:
		return misused("memory %s takes one name; one with spaces is put in quotes: %q", verb, subject)
	}
	if given := c.filters.Get("type"); given != "" {
		kind, known := memories.ParseType(given)
		if !known {
			return misused("unknown type %q: use feedback, user, project or reference", given)
		}
		c.kind = kind
		c.filters.Set("type", string(kind))
	}
	if c.limit < 1 {
		return misused("--limit must be at least 1")
	}
	on, err := c.open(ctx)
	if err != nil {
		return err
	}
	return does.run(c, ctx, on, subject)
}

func (c *memoryCall) list(ctx context.Context, on memorystore.Store, _ string) error {
	filter, err := memories.ParseFilter(c.filters)
	if err != nil {
		return misusedFilter(err)
	}
	found, err := on.List(ctx, filter)
	if err != nil {
		return misusedFilter(err)
	}
	return printAnswer(c.Stdout, c.json, found, writeList)
}

// misusedFilter converts a *memories.InvalidError about a filter to a *usageError that names the
// filter's flag. It returns other errors, and those about other fields, unchanged.
func misusedFilter(err error) error {
	var invalid *memories.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	for _, field := range memories.FilterFields() {
		if field.Name == invalid.Field {
			return misused("--%s %s", filterFlag(field), invalid.Reason)
		}
	}
	return err
}

func (c *memoryCall) show(ctx context.Context, on memorystore.Store, name string) error {
	found, err := on.Find(ctx, name)
	if err != nil {
		return c.withNames(ctx, on, err)
	}
	return printAnswer(c.Stdout, c.json, found, writeMemory)
}

func (c *memoryCall) save(ctx context.Context, on memorystore.Store, name string) error {
	d := memorystore.Draft{Name: name, Kind: c.kind, AskedAs: c.askedAs}
	if given(c.flags, "description") {
		d.Description = &c.description
	}
	if given(c.flags, "body") {
		d.Body = &c.body
	} else {
		var err error
		if d.Body, err = readBody(c.Stdin); err != nil {
			return err
		}
	}
	if d.Kind == "" && d.Description == nil && d.Body == nil && d.AskedAs == nil {
		return misused("nothing to save: use --body, --description, --type or --asked-as, or write the body to standard input")
	}
	saved, err := on.Save(ctx, d)
	switch {
	case errors.Is(err, memorystore.ErrNeedsType):
		return misused("%v", err)
	case err != nil:
		return err
	}
	return printAnswer(c.Stdout, c.json, saved, func(to io.Writer, m wire.Memory) error {
		pending := ""
		if m.Pending != nil {
			pending = ", pending until the agent's client has read it"
		}
		_, err := fmt.Fprintf(to, "saved %s in %s%s\n", terminal.Printable(m.Name), terminal.Printable(m.Path), pending)
		return err
	})
}

// readBody returns the text of from, at most memories.MaxFileSize+1 bytes. It returns nil if the
// text is only white space: a script without input does not mean to empty a memory. It does not read
// a terminal or other device, and returns nil. It returns an error if from cannot be read.
func readBody(from io.Reader) (*string, error) {
	if file, isFile := from.(*os.File); isFile {
		if info, err := file.Stat(); err != nil || info.Mode()&fs.ModeCharDevice != 0 {
			return nil, nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(from, memories.MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("the body cannot be read from standard input: %w", err)
	}
	body := string(text)
	if strings.TrimSpace(body) == "" {
		return nil, nil
	}
	return &body, nil
}

func (c *memoryCall) delete(ctx context.Context, on memorystore.Store, name string) error {
	gone, err := on.Delete(ctx, name)
	if err != nil {
		return c.withNames(ctx, on, err)
	}
	return printAnswer(c.Stdout, c.json, gone.Answer, func(to io.Writer, _ wire.Memory) error { return writeDeletion(to, gone) })
}

func (c *memoryCall) share(ctx context.Context, on memorystore.Store, name string) error {
	shared, err := on.Share(ctx, name)
	if err != nil {
		return c.withNames(ctx, on, err)
	}
	return printAnswer(c.Stdout, c.json, shared, func(to io.Writer, m wire.Memory) error {
		_, err := fmt.Fprintf(to, "moved %s to all agents, as a memory of agent %s\n", terminal.Printable(m.Name), m.Agent)
		return err
	})
}

func (c *memoryCall) recall(ctx context.Context, on memorystore.Store, query string) error {
	found, err := on.Recall(ctx, query, c.limit)
	if err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, found, writeRecalled)
}

// withNames returns err, unchanged unless it is an *unknownError. To that it adds up to five names
// of memories that contain the unknown name in any case, or without such memories a hint. It
// returns err unchanged if the memories cannot be listed.
func (c *memoryCall) withNames(ctx context.Context, on memorystore.Store, err error) error {
	var unknown *memorystore.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	all, failed := on.List(ctx, memories.Filter{})
	if failed != nil {
		return err
	}
	if near := similarNames(unknown.Name, all.Value.Memories); near != "" {
		return fmt.Errorf("%w; similar: %s", err, near)
	}
	return fmt.Errorf("%w; see memoir memory list", err)
}

// similarNames returns up to five quoted names of memories that contain name in any case, with
// commas between them. It returns "" if there are none.
func similarNames(name string, all []wire.Memory) string {
	const most = 5
	var near []string
	for _, m := range all {
		if strings.Contains(strings.ToLower(m.Name), strings.ToLower(name)) && len(near) < most {
			near = append(near, fmt.Sprintf("%q", m.Name))
		}
	}
	return strings.Join(near, ", ")
}

// printAnswer prints an answer: its JSON if asJSON is true, else its value by write.
func printAnswer[T any](to io.Writer, asJSON bool, a memorystore.Answer[T], write func(to io.Writer, value T) error) error {
	if !asJSON {
		return write(to, a.Value)
	}
	_, err := fmt.Fprintf(to, "%s\n", bytes.TrimSpace(a.JSON))
	return err
}

// orNone returns the value at s, or "" if s is nil.
func orNone[S ~string](s *S) S {
	if s == nil {
		return ""
	}
	return *s
}
