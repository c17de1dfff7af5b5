package review_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

// messyFiles returns 1,200 files of three agents: the messy set, and a third agent that repeats
// itself. written has the day of each file.
func messyFiles(t *testing.T) (files memoirtest.Files, written map[string]time.Time) {
	t.Helper()
	files, written = memoirtest.Files{}, map[string]time.Time{}
	for _, part := range []string{"seen", "unseen"} {
		dir := filepath.Join("testdata", "messy", part)
		raw, err := os.ReadFile(filepath.Join(dir, "dates.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			row := strings.Split(strings.TrimSpace(line), "\t")
			text, err := os.ReadFile(filepath.Join(dir, row[1], "memory", row[2]))
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.Parse(time.DateOnly, row[3])
			if err != nil {
				t.Fatal(err)
			}
			path := row[1] + "/memory/" + row[2]
			files[path] += string(text) // both parts have a MEMORY.md
			written[path] = day
		}
	}
	for i := 0; len(files) < 1200; i++ {
		name, body := fmt.Sprintf("Rack %d", i), fmt.Sprintf("Rack %d of hall %c holds the pallets of customer K%04d, and its scanner answers at 10.4.%d.%d.", i, 'A'+i%23, i*37%9973, i/250, i%250)
		if i%20 == 19 { // a copy of the one before
			body = fmt.Sprintf("Rack %d of hall %c holds the pallets of customer K%04d, and its scanner answers at 10.4.%d.%d.", i-1, 'A'+(i-1)%23, (i-1)*37%9973, (i-1)/250, (i-1)%250)
		}
		files[fmt.Sprintf("depot/memory/rack_%d.md", i)] = memoirtest.Note(name, memories.Reference, body)
	}
	return files, written
}

// decided is a decision of the test.
type decided struct {
	item     wire.ReviewItem
	decision string
	undoable bool
}

// settled examines all changes, without the pauses between examinations in the background.
func (s *server) settled() {
	s.Helper()
	waittest.For(s, "the examinations", func() bool {
		outdated, err := s.Store.ReviewOutdated(s.Context(), time.Time{}, time.Now())
		for _, slug := range outdated {
			if err := s.reviewer.Examine(s.Context(), slug); err != nil {
				s.Fatal(err)
			}
		}
		return err == nil && len(outdated) == 0
	})
}

// decideAsListed posts a decision about an item as it was listed.
func (s *server) decideAsListed(item wire.ReviewItem, decision string, n int) (status int, undoable bool) {
	s.Helper()
	body := map[string]any{"decision": decision}
	var etags []string
	for _, m := range item.Memories {
		etags = append(etags, m.ETag)
	}
	if len(etags) > 0 {
		body["etags"] = etags
	}
	if decision == "merge" {
		body["body"] = fmt.Sprintf("Merged by decision %d: what both of them said is kept in this one place.", n)
	}
	status, answer := s.send("POST", "/api/v1/review/"+item.ID, body)
	var said struct{ Undoable bool }
	if status == 200 {
		if err := json.Unmarshal([]byte(answer), &said); err != nil {
			s.Fatal(err)
		}
	}
	if status >= 500 {
		s.Errorf("%s of %s: %d %s", decision, item.ID, status, answer)
	}
	return status, said.Undoable
}

func TestReview_WholeSet(t *testing.T) {
	t.Parallel()
	files, written := messyFiles(t)
	s := serve(t, files, modeltest.SaysJSON(map[string]any{}))
	for path, day := range written {
		if err := os.Chtimes(s.Path(path), day, day); err != nil {
			t.Fatal(err)
		}
	}
	for _, agent := range []string{"harbor-api", "studio-site", "depot"} {
		s.Scan(agent)
	}
	s.settled()
	first := s.list("?limit=1")
	if first.Total < 300 || len(first.Counts) < 8 {
		t.Fatalf("the queue has %d items: %v", first.Total, first.Counts)
	}

	// Decide everything, each kind in each way that it allows.
	var all []decided
	turn := map[string]int{}
	for round := 0; ; round++ {
		page := s.list("?limit=500")
		if len(page.Items) == 0 {
			break
		}
		if round == 12 {
			t.Fatalf("%d items are left after %d rounds: %v", page.Total, round, page.Counts)
		}
		for _, item := range page.Items {
			decision := item.Decisions[turn[item.Kind]%len(item.Decisions)]
			turn[item.Kind]++
			status, undoable := s.decideAsListed(item, decision, len(all))
			switch status {
			case 200:
				all = append(all, decided{item, decision, undoable})
			case 404, 409: // an earlier decision has changed its memories, or there is no fix
			default:
				t.Errorf("%s of %s: %d", decision, item.ID, status)
			}
		}
		s.settled()
	}
	seen := map[string]int{}
	for _, d := range all {
		seen[d.decision]++
	}
	t.Logf("%d decisions: %v", len(all), seen)
	for _, decision := range []string{"allow", "remove_value", "delete", "still_true", "keep_1", "keep_2", "merge", "keep_both", "keep", "fix", "snooze", "never"} {
		if seen[decision] == 0 {
			t.Errorf("nothing was decided with %s", decision)
		}
	}

	// A second scan brings nothing decided back.
	for _, agent := range []string{"harbor-api", "studio-site", "depot"} {
		s.Scan(agent)
		if err := s.reviewer.Examine(t.Context(), agent); err != nil {
			t.Fatal(err)
		}
	}
	s.settled()
	if page := s.list(""); page.Total != 0 {
		t.Errorf("after a second scan %d items are back: %v, such as %+v", page.Total, page.Counts, page.Items[0])
	}

	// What was decided is taken back, the newest first. An item whose memories no other decision has
	// changed is then in the queue again.
	times := map[string]int{}
	for _, d := range all {
		for _, m := range d.item.Memories {
			times[m.ID]++
		}
	}
	undone, tried := map[string]decided{}, map[string]int{}
	for _, d := range slices.Backward(all) {
		alone := len(d.item.Memories) > 0
		for _, m := range d.item.Memories {
			alone = alone && times[m.ID] == 1
		}
		way := d.item.Kind + " " + d.decision
		if !d.undoable || !alone || tried[way] == 8 {
			continue
		}
		tried[way]++
		if status, answer := s.send("POST", "/api/v1/review/"+d.item.ID+"/undo", map[string]any{}); status != 200 {
			t.Errorf("undo of %s of %s: %d %s", d.decision, d.item.ID, status, answer)
			continue
		}
		undone[d.item.ID] = d
	}
	if len(undone) < 100 || len(tried) < 20 {
		t.Fatalf("only %d decisions were taken back, of %v", len(undone), tried)
	}
	s.settled()
	back := map[string]bool{}
	queue := s.list("?limit=500").Items
	for _, item := range queue {
		if len(item.Memories) > 0 { // an index has other lines now, and another item
			back[item.ID] = true
		}
	}
	compared, notFound := 0, 0
	for id, d := range undone {
		isCompared := slices.Contains([]string{"duplicate", "contradiction"}, d.item.Kind)
		if isCompared {
			compared++
		}
		// Memories can form a larger item than before.
		isBack := slices.ContainsFunc(queue, func(item wire.ReviewItem) bool {
			return item.Kind == d.item.Kind && !slices.ContainsFunc(d.item.Memories, func(m wire.ReviewMemory) bool {
				return !slices.ContainsFunc(item.Memories, func(other wire.ReviewMemory) bool { return other.ID == m.ID })
			})
		})
		if !isBack && isCompared {
			notFound++
			t.Logf("%s of %s was taken back, and the item is not in the queue", d.decision, id)
			continue
		}
		if !isBack {
			t.Errorf("%s of %s was taken back, and the item is not in the queue: %+v", d.decision, id, d.item)
		}
	}
	// Pairs are found by the words that are rare among all memories, and other decisions have deleted
	// many of these. So a weak pair need not be found again.
	if notFound*5 > compared {
		t.Errorf("%d of %d pairs are not in the queue", notFound, compared)
	}
	for _, d := range all {
		if _, isUndone := undone[d.item.ID]; back[d.item.ID] && !isUndone {
			t.Errorf("%s of %s is in the queue, and nobody has taken it back", d.decision, d.item.ID)
		}
	}
}
