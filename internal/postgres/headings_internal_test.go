package postgres

import (
	"testing"
	"time"

	"memoir/internal/memories"
)

func TestTheHeadingsOfAnAgentWithVeryManyAreKeptBriefly(t *testing.T) {
	t.Parallel()
	const few, many, others = 1, 2, 3
	var c headingCache
	of := func(n int) *keptHeadings { return &keptHeadings{headings: make([]memories.Heading, n)} }
	kept := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.many.keptHeadings != nil
	}
	c.put(few, of(10))
	c.put(many, of(mostHeadings+1))
	if k := c.take(many); k == nil || len(k.headings) != mostHeadings+1 {
		t.Fatal("they were not kept")
	}
	if c.take(many) != nil {
		t.Error("whoever works on the agent has them for himself")
	}
	c.put(many, of(mostHeadings+1))
	c.put(others, of(mostHeadings+2))
	if c.take(many) != nil {
		t.Error("those of two such agents are kept at once")
	}
	for deadline := time.Now().Add(time.Minute); kept(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("they are kept for good")
		}
	}
	if c.take(few) == nil {
		t.Error("those of an agent with few went with them")
	}
}
