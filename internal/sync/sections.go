package sync

import (
	"context"
	"fmt"
	"sync"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// sectionsKept is how much of the sections that were compiled last is kept, in bytes: those of some fifty agents with a
// full CLAUDE.md each.
const sectionsKept = 4 << 20

// sectionOverhead is what a section takes besides its text, in bytes: its place in the map, and its revision. Short ones take more
// for that than for what they say.
const sectionOverhead = 80

// sectionKey names a section. A memory keeps its revision when it is renamed or moved.
type sectionKey struct {
	revision [16]byte
	name     string // empty: the key of a body alone
	team     bool
}

func sectionOf(m memories.Heading) sectionKey { return sectionKey{m.Revision, m.Name, m.Team} }

func bodyOf(revision [16]byte) sectionKey { return sectionKey{revision: revision} }

// sectionCache keeps memories in full as they stand in CLAUDE.md, by the revision that they are made of and their name. A deletion changes
// one of them, and making one takes a Markdown parser several passes. Another one keeps the bodies of those that may come into
// CLAUDE.md next. It is safe for concurrent use.
type sectionCache struct {
	mu sync.Mutex
	// What is asked for moves from old to young. When young is half of what is kept, it becomes old, and old goes.
	young, old map[sectionKey]string
	size       int // of young
}

func (c *sectionCache) get(key sectionKey) (text string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text, ok = c.young[key]; ok {
		return text, true
	}
	if text, ok = c.old[key]; ok {
		c.keep(key, text)
	}
	return text, ok
}

func (c *sectionCache) has(key sectionKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, young := c.young[key]
	_, old := c.old[key]
	return young || old
}

func (c *sectionCache) put(key sectionKey, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, text)
}

func (c *sectionCache) keep(key sectionKey, text string) {
	size := sectionOverhead + len(text)
	if size > sectionsKept/2 {
		return
	}
	if c.young == nil || c.size+size > sectionsKept/2 {
		c.young, c.old, c.size = map[sectionKey]string{}, c.young, 0
	}
	c.young[key] = text
	c.size += size
}

// textsOf gives the memories in full, those that are stale with a note where that is wanted.
func (e *Engine) textsOf(ctx context.Context, sections postgres.Sections) memories.SectionText {
	plain := e.plainTextsOf(ctx, sections)
	if !e.options.AgeNotes {
		return plain
	}
	now := time.Now()
	return func(next []memories.Heading) (string, error) {
		text, err := plain(next)
		return memories.WithAgeNote(text, next[0].ModifiedAt, now), err
	}
}

// plainTextsOf gives the memories in full, and reads the bodies of those alone that were not compiled lately.
func (e *Engine) plainTextsOf(ctx context.Context, sections postgres.Sections) memories.SectionText {
	return func(next []memories.Heading) (string, error) {
		first := next[0]
		if text, ok := e.sections.get(sectionOf(first)); ok {
			return text, nil
		}
		body, ok := e.bodiesAhead.get(bodyOf(first.Revision))
		if !ok {
			bodies, err := sections.Bodies(ctx, e.unread(next))
			if err != nil {
				return "", err
			}
			if body, ok = bodies[first.Revision]; !ok {
				return "", fmt.Errorf("the memory %q has no content on record", first.ID)
			}
			delete(bodies, first.Revision)
			for revision, body := range bodies {
				e.bodiesAhead.put(bodyOf(revision), body)
			}
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text := memories.InFull(first, body)
		e.sections.put(sectionOf(first), text)
		return text, nil
	}
}

// unread returns the first of the memories, which is not kept, and those others of which nothing is kept either.
func (e *Engine) unread(next []memories.Heading) []memories.Heading {
	unread := next[:1:1]
	for _, m := range next[1:] {
		if !e.sections.has(sectionOf(m)) && !e.bodiesAhead.has(bodyOf(m.Revision)) {
			unread = append(unread, m)
		}
	}
	return unread
}
