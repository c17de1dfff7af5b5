package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories/memorymd"
)

// IndexFacts is the content of one index.
type IndexFacts struct {
	Slug       string // of the agent
	Path       string // of the index, relative to the agent's directory
	Team       bool   // the index is the team's
	Facts      []memorymd.Fact
	ModifiedAt time.Time // of the index
}

// FactID returns the id of the fact with the text in the index at path of the agent with the slug.
// Equal arguments always give the same id, so that an unchanged fact keeps its id.
func FactID(slug, path, text string) uuid.UUID {
	return uuid.NewSHA1(factSpace, []byte(slug+"\x00"+path+"\x00"+text))
}

// factSpace is the namespace of the ids of facts.
var factSpace = uuid.MustParse("5e6c9d0a-7f0b-4c53-9a52-6d1f4a3b8c21")
