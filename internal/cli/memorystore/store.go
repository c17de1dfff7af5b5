// Package memorystore is access to the memories of one agent: through a server's API, or in the
// agent's files without a server.
//
// It owns what both can do, and how files are changed when no server runs.
package memorystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"memoir/internal/memories"
	"memoir/internal/wire"
)

// Store is access to the memories of one agent: through a server's API, or in files.
type Store interface {
	// List returns *memories.InvalidError for a filter that it does not support.
	List(ctx context.Context, filter memories.Filter) (Answer[wire.MemoryList], error)
	// Find, Delete and Share return *UnknownError if no memory has the name.
	Find(ctx context.Context, name string) (Answer[wire.Memory], error)
	Save(ctx context.Context, d Draft) (Answer[wire.Memory], error)
	Delete(ctx context.Context, name string) (Deletion, error)
	// Share moves a memory to the directory for all agents.
	Share(ctx context.Context, name string) (Answer[wire.Memory], error)
	Recall(ctx context.Context, query string, limit int) (Answer[Recalled], error)
}

// Answer is a value with its JSON, which --json prints.
type Answer[T any] struct {
	Value T
	JSON  []byte
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

// Recalled and Chosen are the API's response to a recall.
type Recalled struct {
	ID         *string  `json:"id"`
	State      string   `json:"state"`
	SelectedBy *string  `json:"selected_by"`
	Skipped    *string  `json:"skipped"`
	Note       *string  `json:"note"`
	Memories   []Chosen `json:"memories"`
	Reminder   string   `json:"reminder"`
	Candidates int      `json:"candidates"`
	BudgetLeft int      `json:"budget_left"`
	TookMS     float64  `json:"took_ms"`
}

type Chosen struct {
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

// orNull returns nil for an empty text, and a pointer to any other.
func orNull[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

// Draft is a memory to save. Fields that are nil or empty keep their current value.
type Draft struct {
	Name        string
	Title       string // for MEMORY.md; empty means the name
	Kind        memories.Type
	Description *string
	Body        *string
	AskedAs     []string // nil keeps them
}

// Deletion is the result of a deletion: the memory, and the removed files.
type Deletion struct {
	Answer[wire.Memory]
	Files   []string
	Indexes []string // the MEMORY.md files with removed lines; nil from a server
	Trash   bool     // whether the memory is in the trash
}

// UnknownError means that no memory has the name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("memory %q not found", e.Name) }

// ErrNeedsType means that a new memory was saved without a type.
var ErrNeedsType = errors.New("a new memory needs a type: --type feedback, user, project or reference")

// marshalled returns value together with its JSON.
func marshalled[T any](value T) (Answer[T], error) {
	text, err := json.Marshal(value)
	return Answer[T]{value, text}, err
}
