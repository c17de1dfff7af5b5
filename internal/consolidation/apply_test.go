package consolidation_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"memoir/internal/consolidation"
	"memoir/internal/lockfile"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

// apply applies steps and returns their results.
func (b *bench) apply(slug string, steps ...records.Step) []consolidation.Result {
	b.Helper()
	var ids []string
	for _, s := range steps {
		ids = append(ids, s.ID.String())
	}
	results, err := b.Apply(b.Context(), slug, ids, memories.ByScript)
	if err != nil {
		b.Fatal(err)
	}
	return results
}

// disk returns the contents of an agent's files, without the lock.
func (b *bench) disk() map[string]string {
	all := map[string]string{}
	for name := range untidy() {
		all[name] = b.Read(name)
	}
	return all
}

// body returns a file's content after the frontmatter.
func body(file string) string {
	_, after, _ := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	return after
}

func TestApply_AndUndo(t *testing.T) {
	t.Parallel()
	b := setup(t, untidy(), consolidation.Options{})
	before := b.disk()
	plan := b.plan("ada")
	merge, reindex := step(t, plan, "Keep “Releases”"), step(t, plan, "Update MEMORY.md")
	for _, r := range b.apply("ada", merge, reindex) {
		if r.Error != nil || r.Step.Actor != memories.ByScript {
			t.Errorf("%q: %v, by %s", r.Step.Title, r.Error, r.Step.Actor)
		}
	}
	if b.Read("ada/memory/release-days.md") != "" || !strings.Contains(b.Read("ada/memory/dates.md"), "see [[Releases]] and") {
		t.Errorf("the duplicate is %q, and linked by %q", b.Read("ada/memory/release-days.md"), b.Read("ada/memory/dates.md"))
	}
	if index := b.Read("ada/memory/MEMORY.md"); strings.Contains(index, "gone.md") || strings.Contains(index, "release-days") || !strings.Contains(index, "staging.md") {
		t.Errorf("the index says %s", index)
	}
	b.ExpectIndexTrue("ada", "steps of a plan")
	if got := len([]rune(b.Read("ada/CLAUDE.md"))); got != merge.CharsAfter {
		t.Errorf("CLAUDE.md has %d characters, where %d were promised", got, merge.CharsAfter)
	}
	for _, s := range []records.Step{reindex, merge} {
		if _, err := b.Undo(b.Context(), "ada", s.ID.String(), memories.ByBrowser); err != nil {
			t.Errorf("%s: %v", s.Title, err)
		}
	}
	for name, was := range before {
		now := b.Read(name)
		if strings.HasSuffix(name, "MEMORY.md") || strings.HasSuffix(name, "CLAUDE.md") {
			if now != was {
				t.Errorf("%s says %q in place of %q", name, now, was)
			}
		} else if body(now) != body(was) {
			t.Errorf("%s says %q in place of %q", name, now, was)
		}
	}
	if _, err := b.Undo(b.Context(), "ada", merge.ID.String(), memories.ByBrowser); err == nil {
		t.Error("it is undone a second time")
	}
	if gaps := pgtest.Journal(t, b.URL)(); len(gaps) > 0 {
		t.Error(gaps)
	}
}

func TestApply_ChangedMemory(t *testing.T) {
	t.Parallel()
	b := setup(t, untidy(), consolidation.Options{})
	plan := b.plan("ada")
	merge := step(t, plan, "Keep “Releases”")
	b.Write("ada/memory/release-days.md", memoirtest.Note("Release days", memories.Project, "Releases are cut whenever somebody likes."))
	b.Scan("ada")
	result := b.apply("ada", merge)[0]
	var conflict *memories.ConflictError
	if !errors.As(result.Error, &conflict) || !strings.Contains(conflict.Reason, "Release days") {
		t.Errorf("it ends with %v", result.Error)
	}
	if dates := b.Read("ada/memory/dates.md"); dates != untidy()["ada/memory/dates.md"] {
		t.Errorf("what links it says %q", dates)
	}
	if b.Memory("ada", "Release days").State != memories.Active {
		t.Error("it is deleted")
	}
	happened, err := b.Store.Activity(b.Context(), records.ActivityList{AgentID: b.Memory("ada", "Dates").AgentID, Name: "Dates", Limit: 10})
	if err != nil || len(happened.Activity) != 1 {
		t.Errorf("what links it was changed, and changed back: %+v (%v)", happened.Activity, err)
	}
	if b.Consolidator.Discard(b.Context(), "ada") != nil || !errors.Is(b.Consolidator.Discard(b.Context(), "ada"), memories.ErrNotFound) {
		t.Error("a plan is not discarded once")
	}

	// An undo keeps later changes.
	merge = step(t, b.plan("ada"), "Delete “Releases”")
	if r := b.apply("ada", merge)[0]; r.Error != nil {
		t.Fatal(r.Error)
	}
	b.Write("ada/memory/dates.md", memoirtest.Note("Dates", memories.Feedback, "Write them as you like."))
	b.Scan("ada")
	if _, err := b.Undo(b.Context(), "ada", merge.ID.String(), memories.ByScript); !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "Dates") {
		t.Errorf("the undo ends with %v", err)
	}
	if b.Memory("ada", "Releases").State != memories.Deleted {
		t.Error("half of it is undone")
	}
}

func TestApply_AfterCrash(t *testing.T) {
	t.Parallel()
	type moment struct {
		change int
		made   bool
	}
	for name, at := range map[string]moment{
		"before a change is noted": {0, true}, "between two changes": {1, false},
	} {
		for _, undoing := range []bool{false, true} {
			crashes := true
			b := setup(t, untidy(), consolidation.Options{Stop: func(s records.Step, change int, made bool) bool {
				return crashes && at == moment{change, made} && (s.State == records.StepUndoing) == undoing
			}})
			plan := b.plan("ada")
			merge, reindex := step(t, plan, "Keep “Releases”"), step(t, plan, "Update MEMORY.md")
			ids := []string{merge.ID.String(), reindex.ID.String()}
			_, err := b.Apply(b.Context(), "ada", ids, memories.ByScript)
			if undoing && err == nil {
				_, err = b.Undo(b.Context(), "ada", merge.ID.String(), memories.ByScript)
			}
			if err == nil {
				t.Fatalf("%s: nothing crashed", name)
			}
			// The next server starts and finishes automatically.
			b.end()
			crashes = false
			b.consolidate(consolidation.Options{Every: 10 * time.Millisecond})
			want := records.StepApplied
			if undoing {
				want = records.StepUndone
			}
			waittest.For(b, "the step to end", func() bool {
				after, err := b.Store.ConsolidationStep(b.Context(), b.Memory("ada", "Dates").AgentID, merge.ID.String())
				return err == nil && after.State == want
			})
			waittest.For(b, "nothing to be left", func() bool {
				over, err := b.Overview(b.Context(), "ada")
				return err == nil && !over.Busy
			})
			wantState := memories.Deleted
			if undoing {
				wantState = memories.Active
			}
			if got := b.Memory("ada", "Release days").State; got != wantState {
				t.Errorf("%s, undoing %t: it is %s", name, undoing, got)
			}
			if linked := strings.Contains(b.Read("ada/memory/dates.md"), "[[Release days]]"); linked != undoing {
				t.Errorf("%s, undoing %t: it is linked %t", name, undoing, linked)
			}
			// Each change was made once.
			activity, err := b.Store.Activity(b.Context(), records.ActivityList{AgentID: b.Memory("ada", "Dates").AgentID, Name: "Dates", Limit: 10})
			if want := 2; err != nil || !undoing && len(activity.Activity) != want || undoing && len(activity.Activity) != want+1 {
				t.Errorf("%s, undoing %t: %d things happened to it: %+v (%v)", name, undoing, len(activity.Activity), activity.Activity, err)
			}
		}
	}
}

// sessions creates sessions that have just changed.
func sessions(b *bench, n int) {
	for i := range n {
		b.Write("ada/sessions/s"+strconv.Itoa(i)+"/memory/MEMORY.md", "")
	}
}

func TestAuto_LimitsAndGates(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	// 12 of 40 memories are copies, and a tenth is 4.
	for i := range 28 {
		files["ada/memory/fact"+strconv.Itoa(i)+".md"] = memoirtest.Note("Fact "+strconv.Itoa(i), memories.Project, strings.Repeat("In its own words, number "+strconv.Itoa(i)+". ", i+2))
	}
	for i := range 12 {
		files["ada/memory/twin"+strconv.Itoa(i)+".md"] = strings.Replace(files["ada/memory/fact"+strconv.Itoa(i)+".md"], "Fact ", "Twin ", 1)
	}
	b := &bench{Memoir: memoirtest.Start(t, files)}
	sessions(b, 4)
	b.consolidate(consolidation.Options{Mode: consolidation.Auto, Every: 5 * time.Millisecond})
	waittest.For(b, "a look", func() bool {
		over, err := b.Overview(b.Context(), "ada")
		return err == nil && !over.Gates[1].Open
	})
	if over, _ := b.Overview(b.Context(), "ada"); over.Plan != nil || over.Gates[2].Open || b.Read("ada/memory/"+lockfile.Name) != "" {
		t.Fatalf("4 conversations are enough: %+v", over.Gates)
	}
	b.end()
	sessions(b, 5)
	agent, err := b.Store.AgentUncounted(b.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	// Simulates ten minutes.
	if _, err := b.Store.ClaimConsolidationCheck(b.Context(), agent.ID, time.Now().Add(-10*time.Minute), time.Now()); err != nil {
		t.Fatal(err)
	}
	b.consolidate(consolidation.Options{Mode: consolidation.Auto, Every: 5 * time.Millisecond})
	var plan records.Plan
	waittest.For(b, "a plan, and the end of it", func() bool {
		over, err := b.Overview(b.Context(), "ada")
		if err != nil || over.Plan == nil || over.Busy {
			return false
		}
		plan = *over.Plan
		return len(over.Applied) > 0
	})
	gone := 0
	for i := range 12 {
		if b.Memory("ada", "Twin "+strconv.Itoa(i)).State == memories.Deleted {
			gone++
		}
		if b.Memory("ada", "Fact "+strconv.Itoa(i)).State == memories.Deleted {
			gone++
		}
	}
	if plan.MadeBy != memories.ByMemoir || plan.Memories != 40 || len(plan.Steps) != 12 || gone != 4 {
		t.Errorf("of %d steps for %d memories by %s, %d memories are deleted", len(plan.Steps), plan.Memories, plan.MadeBy, gone)
	}
	over, err := b.Overview(b.Context(), "ada")
	if err != nil || over.Gates[0].Open || time.Since(over.Last) > time.Hour {
		t.Errorf("it may begin anew at once: %+v (%v)", over.Gates[0], err)
	}
	if info, err := os.Stat(b.Path("ada/memory/" + lockfile.Name)); err != nil || info.Size() != 0 {
		t.Errorf("the lock is left as %v (%v)", info, err)
	}
	for _, name := range []string{"lock", lockfile.Name} {
		if page, err := b.Store.Memories(b.Context(), agent, memories.Filter{Name: name}, memories.PageRequest{Limit: 1}); err != nil || len(page.Memories) > 0 {
			t.Errorf("the lock is a memory: %+v (%v)", page, err)
		}
	}
}

// TestAuto_CertainStepsOnly shows that steps of the model, links in memories and additions to an
// index wait for a person.
func TestAuto_CertainStepsOnly(t *testing.T) {
	t.Parallel()
	files := untidy()
	for i := range 10 { // a tenth of the memories may be deleted
		files["ada/memory/more"+strconv.Itoa(i)+".md"] = memoirtest.Note("More "+strconv.Itoa(i), memories.Project, "Fact number "+strconv.Itoa(i)+" of many.")
	}
	served := modeltest.New(t, proposals(map[string]any{"kind": "update", "memories": []string{"Production"}, "body": "The production database answers at db-main.internal:6432.", "reason": "It is shorter."}))
	b := &bench{Memoir: memoirtest.Start(t, files)}
	sessions(b, 5)
	b.consolidate(consolidation.Options{Mode: consolidation.Auto, Model: served.Model(), ModelName: "a model", Every: 5 * time.Millisecond})
	waittest.For(b, "the duplicate to be deleted", func() bool {
		over, err := b.Overview(b.Context(), "ada")
		return err == nil && len(over.Applied) > 0 && !over.Busy && !over.Planning
	})
	over, err := b.Overview(b.Context(), "ada")
	if err != nil || len(over.Applied) != 1 || over.Applied[0].Title != "Keep “Releases”, delete “Release days”" {
		t.Errorf("applied %q (%v)", titles(over.Applied), err)
	}
	var waiting []string
	for _, s := range over.Plan.Steps {
		if s.State == records.StepProposed {
			waiting = append(waiting, s.Kind+" "+s.Source)
		}
	}
	if got := strings.Join(waiting, ", "); got != "update model, reindex found" {
		t.Errorf("waiting: %s", got)
	}
}

func TestMakePlan_LockedByOtherProgram(t *testing.T) {
	t.Parallel()
	b := setup(t, untidy(), consolidation.Options{})
	plan := b.plan("ada")
	lock := "ada/memory/" + lockfile.Name
	b.Write(lock, "1\n") // for example Claude Code's: process 1 always runs
	var conflict *memories.ConflictError
	if _, err := b.MakePlan(b.Context(), "ada", memories.ByScript); !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "Process 1 ") {
		t.Errorf("a plan ends with %v", err)
	}
	if _, err := b.Apply(b.Context(), "ada", []string{plan.Steps[0].ID.String()}, memories.ByScript); !errors.As(err, &conflict) {
		t.Errorf("applying ends with %v", err)
	}
	if now, _ := b.Overview(b.Context(), "ada"); now.Plan == nil || now.Plan.Steps[0].State != records.StepProposed || now.Gates[3].Open || b.Read(lock) != "1\n" {
		t.Errorf("it stands as %+v, the lock says %q", now.Gates, b.Read(lock))
	}
	b.Remove(lock)
	if err := os.Mkdir(b.Path(lock), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := b.MakePlan(b.Context(), "ada", memories.ByScript); !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "Remove it") {
		t.Errorf("with a directory in its place a plan ends with %v", err)
	}
	if now, err := b.Overview(b.Context(), "ada"); err != nil || now.Gates[3].Open {
		t.Errorf("it stands as %+v (%v)", now.Gates, err)
	}
}
