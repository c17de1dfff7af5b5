package api

import (
	"context"
	"slices"
	"strings"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

// MemoryWrite contains the parameters of a write to one memory: its path and the If-Match header.
// It is exported because huma ignores embedded structs that are unexported.
type MemoryWrite struct {
	MemoryPath
	IfMatch string `header:"If-Match" doc:"The ETag of the memory as you read it; 412 if it has changed since."`
}

func (in *MemoryWrite) write() *MemoryWrite { return in }

// ifMatch returns a handler that calls handle with the entity tag of If-Match, which the engine
// must compare with the memory's. Without this header, the tag is "". If match returns an error,
// such as memories.ErrChanged, the handler returns it and does not call handle.
func ifMatch[I any, P interface {
	*I
	write() *MemoryWrite
}](a *api, handle func(ctx context.Context, in *I, match string) (*memoryAnswer, error)) func(context.Context, *I) (*memoryAnswer, error) {
	return func(ctx context.Context, in *I) (*memoryAnswer, error) {
		match, err := a.match(ctx, P(in).write())
		if err != nil {
			return nil, err
		}
		return handle(ctx, in, match)
	}
}

// match returns the entity tag of an If-Match header, also *, or "" if the request has no such
// header. If the header has several tags, match returns the tag of the current memory if it is one
// of them, else the first. It returns memories.ErrChanged if the header has no tag, and
// memories.ErrNotFound for several tags without such a memory.
func (a *api) match(ctx context.Context, in *MemoryWrite) (string, error) {
	tags := entityTags(in.IfMatch)
	if len(tags) == 0 && in.IfMatch != "" {
		return "", memories.ErrChanged // a condition that no memory meets
	}
	if len(tags) < 2 {
		return strings.Join(tags, ""), nil
	}
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return "", err
	}
	m, err := a.store.Memory(ctx, row, in.ID)
	if err != nil {
		return "", err
	}
	if i := slices.Index(tags, engine.ETag(m)); i >= 0 {
		return tags[i], nil
	}
	return tags[0], nil
}

// noneMatches reports whether an If-None-Match header has the tag etag or *, so that the answer is
// 304. It ignores the prefix W/, as RFC 9110 section 13.1.2 requires.
func noneMatches(header, etag string) bool {
	return slices.ContainsFunc(entityTags(header), func(tag string) bool {
		return tag == "*" || strings.TrimPrefix(tag, "W/") == etag
	})
}

// entityTags returns the parts of a header between commas, without surrounding space and without
// empty parts. It splits at every comma, because Memoir's own tags have none. It returns nil if no
// part remains.
func entityTags(header string) []string {
	var tags []string
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}
