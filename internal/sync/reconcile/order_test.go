package reconcile

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

func TestRun_SameOrderEachTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var rows []records.MemoryRow
	var removed []records.File
	for i := range 8 {
		id := uuid.UUID{15: byte(i + 1)}
		rows = append(rows, records.MemoryRow{UUID: id, Memory: memories.Memory{
			ID: id.String(), Name: "Tabs", Team: i%2 == 0, Readable: true, Type: memories.Feedback, State: memories.Active,
			Path: string(rune('a'+i)) + ".md",
		}})
		removed = append(removed, records.File{
			Path: string(rune('a'+i)) + ".md", MemoryID: id, Present: true, Status: records.Mirrored,
		})
	}
	order := func() (ids []uuid.UUID) {
		known := KnownState{KnownState: records.KnownState{Heads: slices.Clone(rows), Files: slices.Clone(removed)}}
		result := Run(Observed{At: at, Removed: slices.Clone(removed)}, known)
		for _, entry := range result.ChangeSet.Activity {
			ids = append(ids, entry.MemoryID)
		}
		for _, row := range result.ChangeSet.Heads {
			ids = append(ids, row.UUID)
		}
		return ids
	}
	want := order()
	if len(want) == 0 {
		t.Fatal("Run() changed nothing, want the memories deleted")
	}
	for range 20 {
		if got := order(); !slices.Equal(got, want) {
			t.Fatalf("Run() = order %v, before %v", got, want)
		}
	}
}
