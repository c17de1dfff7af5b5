package pages_test

import (
	"testing"

	"memoir/internal/memories"
	"memoir/internal/records"
)

func TestActions_ActorIsBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	s.submit(t, s.get(t, pageOf(m)+"/delete"), "Delete Tabs")
	page, err := s.Store.Activity(t.Context(), records.ActivityList{MemoryID: m.ID, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if last := page.Activity[0]; last.Kind != memories.ActivityDeleted || last.Actor != memories.ByBrowser || last.Name != "Tabs" {
		t.Errorf("the journal says last: %+v", last)
	}
}
