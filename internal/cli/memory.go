package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"memoir/internal/memories"
)

// shelf has the memories of one agent: a server's, or the files themselves.
type shelf interface {
	// list returns those of a type, newest first; of the empty type all.
	list(ctx context.Context, t memories.Type) (answer[memoryList], error)
	// find fails with *unknownError where no memory has the name. So does delete.
	find(ctx context.Context, name string) (answer[memory], error)
	save(ctx context.Context, d draft) (answer[memory], error)
	delete(ctx context.Context, name string) (deletion, error)
	recall(ctx context.Context, query string, limit int) (answer[recalled], error)
}

// answer is a value with the JSON that scripts are given of it.
type answer[T any] struct {
	value T
	json  []byte
}

// memoryList, memory and recalled are as the API has them, in its order. What only a database knows is null where there is none.
type memoryList struct {
	Memories   []memory `json:"memories"`
	Total      int      `json:"total"`
	Near       bool     `json:"near"`
	NextCursor *string  `json:"next_cursor"`
}

type memory struct {
	ID            *string        `json:"id"`
	Agent         string         `json:"agent"`
	Name          string         `json:"name"`
	Type          *memories.Type `json:"type"`
	Description   *string        `json:"description"`
	Body          *string        `json:"body"`
	State         memories.State `json:"state"`
	Problems      []problem      `json:"problems"`
	Path          string         `json:"path"`
	Session       *string        `json:"session"`
	Files         []carrier      `json:"files"`
	Hash          *string        `json:"hash"`
	Size          int64          `json:"size"`
	ClaudeMDChars *int           `json:"claude_md_chars"`
	ClaudeMD      *struct {
		Problem string `json:"problem"`
	} `json:"claude_md"`
	AgeDays   int        `json:"age_days"`
	Stale     bool       `json:"stale"`
	CreatedAt *time.Time `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at"`
	DeletedAt *time.Time `json:"deleted_at"`
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type carrier struct {
	Path       string    `json:"path"`
	Session    *string   `json:"session"`
	Hash       *string   `json:"hash"`
	ModifiedAt time.Time `json:"modified_at"`
}

type recalled struct {
	ID         *string  `json:"id"`
	State      string   `json:"state"`
	SelectedBy *string  `json:"selected_by"`
	Skipped    *string  `json:"skipped"`
	Note       *string  `json:"note"`
	Memories   []chosen `json:"memories"`
	Reminder   *string  `json:"reminder"`
	Candidates int      `json:"candidates"`
	BudgetLeft *int     `json:"budget_left"`
	TookMS     float64  `json:"took_ms"`
}

type chosen struct {
	ID          *string        `json:"id"`
	Name        string         `json:"name"`
	Type        *memories.Type `json:"type"`
	Description string         `json:"description"`
	Path        string         `json:"path"`
	AgeDays     int            `json:"age_days"`
	Stale       bool           `json:"stale"`
	Why         []string       `json:"why"`
	Bytes       int            `json:"bytes"`
	Text        string         `json:"text"`
}

func (m memory) id() string { return orNone(m.ID) }

func (m memory) age() memories.Age { return memories.Age{Days: m.AgeDays, Stale: m.Stale} }

func orNone[S ~string](s *S) S {
	if s == nil {
		return ""
	}
	return *s
}

// orNull is null for an empty text, as in the API.
func orNull[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

// draft is what somebody wants to save; nil keeps what is there.
type draft struct {
	name        string
	kind        memories.Type // empty: keep it
	description *string
	body        *string
}

// deletion is a memory that has been deleted, and what went with it.
type deletion struct {
	answer[memory]
	files   []string
	indexes []string // the MEMORY.md files that had lines about it, where this is known
	trash   bool     // it can be restored
}

// unknownError says that no memory has a name.
type unknownError struct{ name string }

func (e *unknownError) Error() string { return fmt.Sprintf("there is no memory %q", e.name) }

var errNeedsType = &usageError{command: "memory", reason: "a new memory needs a type: --type feedback, user, project or reference"}

// memoryCall is one call of memory, with what its flags say.
type memoryCall struct {
	*World
	flags       *flag.FlagSet
	server      *address
	agent, dir  string
	kind        string
	description string
	body        string
	limit       int
	json        bool
}

// recallLimit is how many memories are recalled at most unless somebody wants more or fewer: what Claude Code takes.
const recallLimit = 5

func runMemory(ctx context.Context, w *World, args []string) error {
	c := &memoryCall{World: w, flags: flag.NewFlagSet("memory", flag.ContinueOnError)}
	c.server = w.addressFlags(c.flags)
	c.flags.StringVar(&c.agent, "agent", "", "")
	c.flags.StringVar(&c.dir, "dir", "", "")
	c.flags.StringVar(&c.kind, "type", "", "")
	c.flags.StringVar(&c.description, "description", "", "")
	c.flags.StringVar(&c.body, "body", "", "")
	c.flags.IntVar(&c.limit, "limit", recallLimit, "")
	c.flags.BoolVar(&c.json, "json", false, "")
	words, err := parse(c.flags, args)
	switch {
	case errors.Is(err, errHelp):
		io.WriteString(w.Stdout, memoryHelp)
		return nil
	case err != nil:
		return err
	case len(words) == 0:
		return misused("memory takes list, show, save, delete or recall")
	}
	return c.run(ctx, words[0], words[1:])
}

// memoryVerbs say, for each word that may follow memory, what it does and which of the flags it has of its own.
var memoryVerbs = map[string]struct {
	run   func(c *memoryCall, ctx context.Context, on shelf, subject string) error
	takes string // what it takes in one word; empty: nothing
	flags []string
}{
	"list":   {(*memoryCall).list, "", []string{"type"}},
	"show":   {(*memoryCall).show, "NAME", nil},
	"save":   {(*memoryCall).save, "NAME", []string{"type", "description", "body"}},
	"delete": {(*memoryCall).delete, "NAME", nil},
	"recall": {(*memoryCall).recall, "QUERY", []string{"limit"}},
}

func (c *memoryCall) run(ctx context.Context, verb string, words []string) error {
	does, known := memoryVerbs[verb]
	if !known {
		return misused("memory does not %q: it takes list, show, save, delete or recall", verb)
	}
	for _, name := range []string{"type", "description", "body", "limit"} {
		if given(c.flags, name) && !contains(does.flags, name) {
			return misused("memory %s takes no --%s", verb, name)
		}
	}
	subject := strings.Join(words, " ")
	switch {
	case does.takes == "" && len(words) > 0:
		return misused("memory %s takes nothing more, and was given %q", verb, subject)
	case does.takes != "" && strings.TrimSpace(subject) == "":
		return misused("memory %s takes a %s", verb, does.takes)
	case does.takes == "NAME" && len(words) > 1:
		return misused("memory %s takes one name; one with spaces is put in quotes: %q", verb, subject)
	}
	if c.kind != "" {
		kind, known := memories.ParseType(c.kind)
		if !known {
			return misused("there is no type %q: it is feedback, user, project or reference", c.kind)
		}
		c.kind = string(kind)
	}
	if c.limit < 1 {
		return misused("--limit is at least 1")
	}
	on, err := c.open(ctx)
	if err != nil {
		return err
	}
	return does.run(c, ctx, on, subject)
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

func (c *memoryCall) list(ctx context.Context, on shelf, _ string) error {
	found, err := on.list(ctx, memories.Type(c.kind))
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(found.json)
	}
	return writeList(c.Stdout, found.value)
}

func (c *memoryCall) show(ctx context.Context, on shelf, name string) error {
	found, err := on.find(ctx, name)
	if err != nil {
		return c.withNames(ctx, on, err)
	}
	if c.json {
		return c.writeJSON(found.json)
	}
	return writeMemory(c.Stdout, found.value)
}

func (c *memoryCall) save(ctx context.Context, on shelf, name string) error {
	d := draft{name: name, kind: memories.Type(c.kind)}
	if given(c.flags, "description") {
		d.description = &c.description
	}
	if given(c.flags, "body") {
		d.body = &c.body
	} else if err := d.readBody(c.Stdin); err != nil {
		return err
	}
	if d.kind == "" && d.description == nil && d.body == nil {
		return misused("there is nothing to save: give --body, --description or --type, or write the body to standard input")
	}
	saved, err := on.save(ctx, d)
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(saved.json)
	}
	_, err = fmt.Fprintf(c.Stdout, "saved %s in %s\n", printable(saved.value.Name), printable(saved.value.Path))
	return err
}

// readBody takes the body from standard input, unless that is a terminal, at which nobody has been asked for anything. What is
// empty is no body: a script without input does not mean to empty a memory.
func (d *draft) readBody(from io.Reader) error {
	if file, isFile := from.(*os.File); isFile {
		if info, err := file.Stat(); err != nil || info.Mode()&fs.ModeCharDevice != 0 {
			return nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(from, memories.MaxFileSize+1))
	if err != nil {
		return fmt.Errorf("the body cannot be read from standard input: %w", err)
	}
	if body := string(text); strings.TrimSpace(body) != "" {
		d.body = &body
	}
	return nil
}

func (c *memoryCall) delete(ctx context.Context, on shelf, name string) error {
	gone, err := on.delete(ctx, name)
	if err != nil {
		return c.withNames(ctx, on, err)
	}
	if c.json {
		return c.writeJSON(gone.json)
	}
	return writeDeletion(c.Stdout, gone)
}

func (c *memoryCall) recall(ctx context.Context, on shelf, query string) error {
	found, err := on.recall(ctx, query, c.limit)
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(found.json)
	}
	return writeRecalled(c.Stdout, found.value)
}

// withNames adds to the error of an unknown name those that somebody may have meant.
func (c *memoryCall) withNames(ctx context.Context, on shelf, err error) error {
	const most = 5
	var unknown *unknownError
	if !errors.As(err, &unknown) {
		return err
	}
	all, failed := on.list(ctx, "")
	if failed != nil {
		return err
	}
	var near []string
	for _, m := range all.value.Memories {
		if strings.Contains(strings.ToLower(m.Name), strings.ToLower(unknown.name)) && len(near) < most {
			near = append(near, fmt.Sprintf("%q", m.Name))
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("%w; memoir memory list says which there are", err)
	}
	return fmt.Errorf("%w; there is %s", err, strings.Join(near, ", "))
}

func (c *memoryCall) writeJSON(text []byte) error {
	_, err := c.Stdout.Write(append(text, '\n'))
	return err
}

// marshalled is a value with its JSON.
func marshalled[T any](value T) (answer[T], error) {
	text, err := json.Marshal(value)
	return answer[T]{value, text}, err
}
