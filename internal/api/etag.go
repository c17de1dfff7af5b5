package api

import (
	"context"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/sync"
)

// Precondition is the precondition of a write.
type Precondition struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the memory as you read it; 412 if it has changed since."`
}

// match returns the one entity tag that the engine is to hold the memory against, empty for none. Where the client
// would take any of several, it is the one that holds now.
func (a *api) match(ctx context.Context, path MemoryPath, condition Precondition) (string, error) {
	tags := entityTags(condition.IfMatch)
	if len(tags) == 0 && condition.IfMatch != "" {
		return "", memories.ErrChanged // whoever sends a condition wants one, and this one nothing meets
	}
	if len(tags) < 2 {
		return strings.Join(tags, ""), nil
	}
	row, err := a.store.AgentUncounted(ctx, path.Slug)
	if err != nil {
		return "", err
	}
	m, err := a.store.Memory(ctx, row, path.ID)
	if err != nil {
		return "", err
	}
	if i := slices.Index(tags, sync.ETag(m)); i >= 0 {
		return tags[i], nil
	}
	return tags[0], nil
}

// noneMatches says whether the client has the entity already. Weak comparison, as RFC 9110 has it for If-None-Match.
func noneMatches(header, etag string) bool {
	return slices.ContainsFunc(entityTags(header), func(tag string) bool {
		return tag == "*" || strings.TrimPrefix(tag, "W/") == etag
	})
}

// entityTags splits a list of entity tags. Memoir's own hold no comma.
func entityTags(header string) []string {
	var tags []string
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}
