package api

import (
	"context"
	"slices"
	"strings"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

// Precondition contains the If-Match header of a write.
type Precondition struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the memory as you read it; 412 if it has changed since."`
}

// match returns the entity tag that the engine must compare with the memory. It is empty without
// If-Match. If the client sent several tags, it is the tag of the current memory if the list has
// it, else the first. match returns memories.ErrChanged if the header has no tag.
func (a *api) match(ctx context.Context, path MemoryPath, condition Precondition) (string, error) {
	tags := entityTags(condition.IfMatch)
	if len(tags) == 0 && condition.IfMatch != "" {
		return "", memories.ErrChanged // a condition that no memory meets
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
	if i := slices.Index(tags, engine.ETag(m)); i >= 0 {
		return tags[i], nil
	}
	return tags[0], nil
}

// noneMatches reports whether an If-None-Match header has etag or *, so that the answer is 304. It
// uses weak comparison, as RFC 9110 section 13.1.2 requires.
func noneMatches(header, etag string) bool {
	return slices.ContainsFunc(entityTags(header), func(tag string) bool {
		return tag == "*" || strings.TrimPrefix(tag, "W/") == etag
	})
}

// entityTags splits a header into entity tags. It splits at every comma, because Memoir's own tags
// have none.
func entityTags(header string) []string {
	var tags []string
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}
