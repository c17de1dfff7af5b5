package sync_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"memoir/internal/memories"
)

func TestTmpDelete(t *testing.T) {
	b := setup(t)
	n := 1300
	for i := range n {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), fmt.Sprintf("---\nname: subject %d of %d\ndescription: what is to be known of the subject with the number %d, in one line of some length\ntype: %s\n---\n\n%s\n", i*7919%1000, i, i, memories.Types()[i%4], "Some text of this and that, and so on, until it ends. And more. Some text of this and that, and so on, until it ends. And more. Some text of this and that, and so on, until it ends. And more. Some text of this and that, and so on, until it ends. And more."))
	}
	b.scanAll()
	ids := []string{}
	for _, m := range b.list("ada", "") {
		ids = append(ids, m.ID)
	}
	time.Sleep(2 * time.Second)
	var took []time.Duration
	for _, id := range ids[:min(300, len(ids))] {
		at := time.Now()
		if _, err := b.engine.Delete(t.Context(), "ada", id, ""); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	t.Logf("%d of %d: median %v p10 %v", len(took), len(ids), took[len(took)/2], took[len(took)/10])
}
