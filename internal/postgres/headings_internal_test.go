package postgres

import (
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/memories"
)

func TestTheHeadingsOfAnAgentWithVeryManyAreKeptBriefly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const few, many, others = 1, 2, 3
		var c headingCache
		of := func(n int) *keptHeadings { return &keptHeadings{headings: make([]memories.Heading, n)} }
		c.put(few, of(10))
		c.put(many, of(mostHeadings+1))
		time.Sleep(briefly - 1)
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
		time.Sleep(briefly - 1)
		synctest.Wait()
		k := c.take(others)
		if k == nil {
			t.Fatal("they were kept for less than they are to be")
		}
		c.put(others, k)
		time.Sleep(briefly)
		synctest.Wait()
		if c.take(others) != nil {
			t.Error("they are kept for good")
		}
		if c.take(few) == nil {
			t.Error("those of an agent with few went with them")
		}
	})
}
