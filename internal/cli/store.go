package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"memoir/internal/memories"
	"memoir/internal/wire"
)

// memoryStore gives access to the memories of one agent: over a server's API, or in the files.
type memoryStore interface {
	// list fails with *memories.InvalidError for a filter that it has no answer to.
	list(ctx context.Context, filter memories.Filter) (answer[wire.MemoryList], error)
	// find fails with *unknownError where no memory has the name. So does delete.
	find(ctx context.Context, name string) (answer[wire.Memory], error)
	save(ctx context.Context, d draft) (answer[wire.Memory], error)
	delete(ctx context.Context, name string) (deletion, error)
	recall(ctx context.Context, query string, limit int) (answer[recalled], error)
}

// answer is a value with the JSON that scripts are given of it.
type answer[T any] struct {
	value T
	json  []byte
}

// localMemory is a memory as a directory knows it: what only a database knows is null.
type localMemory struct {
	wire.Memory
	ID            *string    `json:"id"`
	ClaudeMDChars *int       `json:"claude_md_chars"`
	CreatedAt     *time.Time `json:"created_at"`
}

// localList is a list of them.
type localList struct {
	wire.MemoryList
	Memories []localMemory `json:"memories"`
}

// recalled and chosen are as the API has them.
type recalled struct {
	ID         *string  `json:"id"`
	State      string   `json:"state"`
	SelectedBy *string  `json:"selected_by"`
	Skipped    *string  `json:"skipped"`
	Note       *string  `json:"note"`
	Memories   []chosen `json:"memories"`
	Reminder   string   `json:"reminder"`
	Candidates int      `json:"candidates"`
	BudgetLeft int      `json:"budget_left"`
	TookMS     float64  `json:"took_ms"`
}

type chosen struct {
	ID          *string        `json:"id"`
	Name        string         `json:"name"`
	Type        *memories.Type `json:"type"`
	Description string         `json:"description"`
	Path        string         `json:"path"`
	Line        *int           `json:"line"`
	AgeDays     *int           `json:"age_days"`
	Stale       bool           `json:"stale"`
	Why         []string       `json:"why"`
	Bytes       int            `json:"bytes"`
	Text        string         `json:"text"`
}

// ageOf returns the age of a memory.
func ageOf(m wire.Memory) memories.Age {
	if m.AgeDays == nil {
		return memories.Age{Unknown: true}
	}
	return memories.Age{Days: *m.AgeDays, Stale: m.Stale}
}

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
	answer[wire.Memory]
	files   []string
	indexes []string // the MEMORY.md files that had lines about it, where this is known
	trash   bool     // it can be restored
}

// unknownError says that no memory has a name.
type unknownError struct{ name string }

func (e *unknownError) Error() string { return fmt.Sprintf("there is no memory %q", e.name) }

var errNeedsType = &usageError{command: "memory", reason: "a new memory needs a type: --type feedback, user, project or reference"}

// marshalled is a value with its JSON.
func marshalled[T any](value T) (answer[T], error) {
	text, err := json.Marshal(value)
	return answer[T]{value, text}, err
}
