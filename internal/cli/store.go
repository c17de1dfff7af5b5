package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"memoir/internal/memories"
	"memoir/internal/wire"
)

// memoryStore is access to the memories of one agent: through a server's API, or in files.
type memoryStore interface {
	// list returns *memories.InvalidError for a filter that it does not support.
	list(ctx context.Context, filter memories.Filter) (answer[wire.MemoryList], error)
	// find, delete and share return *unknownError if no memory has the name.
	find(ctx context.Context, name string) (answer[wire.Memory], error)
	save(ctx context.Context, d draft) (answer[wire.Memory], error)
	delete(ctx context.Context, name string) (deletion, error)
	// share moves a memory to the directory for all agents.
	share(ctx context.Context, name string) (answer[wire.Memory], error)
	recall(ctx context.Context, query string, limit int) (answer[recalled], error)
}

// answer is a value with its JSON, which --json prints.
type answer[T any] struct {
	value T
	json  []byte
}

// localMemory is a memory read from files. Fields that only the database knows are null.
type localMemory struct {
	wire.Memory
	ID            *string    `json:"id"`
	ClaudeMDChars *int       `json:"claude_md_chars"`
	CreatedAt     *time.Time `json:"created_at"`
}

// localList is a list of memories read from files.
type localList struct {
	wire.MemoryList
	Memories []localMemory `json:"memories"`
}

// recalled and chosen are the API's response to a recall.
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
	Weak        bool           `json:"weak"`
	Bytes       int            `json:"bytes"`
	Text        string         `json:"text"`
}

// ageOf returns the age of a memory in an API answer. Its Unknown is true if m.AgeDays is nil.
func ageOf(m wire.Memory) memories.Age {
	if m.AgeDays == nil {
		return memories.Age{Unknown: true}
	}
	return memories.Age{Days: *m.AgeDays, Stale: m.Stale}
}

// orNone returns the value at s, or "" if s is nil.
func orNone[S ~string](s *S) S {
	if s == nil {
		return ""
	}
	return *s
}

// orNull returns nil for an empty text, and a pointer to any other.
func orNull[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

// draft is a memory to save. Fields that are nil or empty keep their current value.
type draft struct {
	name        string
	title       string // for MEMORY.md; empty means the name
	kind        memories.Type
	description *string
	body        *string
	askedAs     []string // nil keeps them
}

// deletion is the result of a deletion: the memory, and the removed files.
type deletion struct {
	answer[wire.Memory]
	files   []string
	indexes []string // the MEMORY.md files with removed lines; nil from a server
	trash   bool     // whether the memory is in the trash
}

// unknownError means that no memory has the name.
type unknownError struct{ name string }

func (e *unknownError) Error() string { return fmt.Sprintf("memory %q not found", e.name) }

// errNeedsType means that a new memory was saved without a type.
var errNeedsType = misused("a new memory needs a type: --type feedback, user, project or reference")

// marshalled returns value together with its JSON.
func marshalled[T any](value T) (answer[T], error) {
	text, err := json.Marshal(value)
	return answer[T]{value, text}, err
}
