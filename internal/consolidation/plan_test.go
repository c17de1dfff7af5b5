package consolidation_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"memoir/examples"
	"memoir/internal/agents"
	"memoir/internal/consolidation"
	"memoir/internal/jobs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/recall/recalltest"
	"memoir/internal/records"
)

// bench is a Memoir with a consolidator.
type bench struct {
	*memoirtest.Memoir
	*consolidation.Consolidator
	end func() // closes the consolidator and its queue
}

func setup(t *testing.T, files memoirtest.Files, options consolidation.Options) *bench {
	t.Helper()
	b := &bench{Memoir: memoirtest.Start(t, files)}
	b.consolidate(options)
	return b
}

// consolidate starts a consolidator with these options.
func (b *bench) consolidate(options consolidation.Options) {
	b.Helper()
	options.Log = slog.New(slog.DiscardHandler)
	if options.Every == 0 {
		options.Every = time.Hour // tests request what they need
	}
	queue, err := jobs.New(b.Store, jobs.Options{Changed: b.Engine.EmitScanned, Log: options.Log})
	if err != nil {
		b.Fatal(err)
	}
	c := consolidation.Start(b.Engine, b.Store, queue, options)
	queue.Start(b.Context(), b.Engine.Ready)
	b.Consolidator, b.end = c, func() {
		queue.Close()
		c.Close()
	}
	b.Cleanup(b.end)
}

func (b *bench) plan(slug string) records.Plan {
	b.Helper()
	plan, err := b.MakePlan(b.Context(), slug, memories.ByScript)
	if err != nil {
		b.Fatal(err)
	}
	return plan
}

func titles(steps []records.Step) []string {
	all := make([]string, len(steps))
	for i, s := range steps {
		all[i] = s.Title
	}
	return all
}

// step returns the step whose title contains words.
func step(t testing.TB, plan records.Plan, words string) records.Step {
	t.Helper()
	for _, s := range plan.Steps {
		if strings.Contains(s.Title, words) {
			return s
		}
	}
	t.Fatalf("no step %q among %q", words, titles(plan.Steps))
	return records.Step{}
}

const aboutReleases = `Releases are cut on the first working day of the month, from the branch that was frozen the evening before.

**Why:** support is fully staffed that day, and whoever finds something wrong finds somebody to tell.

**How to apply:** never propose a release for another day, not even for a small fix; those go out as patches.`

// untidy returns an agent's memories with duplicates and dead links.
func untidy() memoirtest.Files {
	return memoirtest.Files{
		"ada/CLAUDE.md":               "# By hand\n",
		"ada/memory/MEMORY.md":        "# Index\n\n- [Releases](releases.md) — when\n- [Gone](gone.md) — nothing\n- [Dates](dates.md)\n- [Copy](release-days.md) — when, again\n",
		"ada/memory/releases.md":      memoirtest.Note("Releases", memories.Project, aboutReleases),
		"ada/memory/release-days.md":  memoirtest.Note("Release days", memories.Project, aboutReleases),
		"ada/memory/release-notes.md": memoirtest.Note("Release notes", memories.Project, aboutReleases+"\n\nThe notes are Mira's, see [[Releases]], and are written in the week before."),
		"ada/memory/dates.md":         memoirtest.Note("Dates", memories.Feedback, "Write dates as 2026-11-21, see [[Release days]] and [[releases]] and [[Yet to be written]]."),
		"ada/memory/staging.md":       memoirtest.Note("Staging", memories.Reference, hostOf("staging", "db-staging.internal:5432")),
		"ada/memory/production.md":    memoirtest.Note("Production", memories.Reference, hostOf("production", "db-main.internal:6432")),
		"ada/memory/short.md":         memoirtest.Note("Short", memories.User, "See above."),
		"ada/memory/short-too.md":     memoirtest.Note("Short too", memories.User, "See above."),
	}
}

func hostOf(which, host string) string {
	return "The " + which + " database answers at " + host + ". Ask the platform team for an account, it takes a day. Read only, " +
		"with a statement timeout of one minute; whoever needs longer copies the table first and works on the copy."
}

func TestMakePlan_WithoutModel(t *testing.T) {
	t.Parallel()
	b := setup(t, untidy(), consolidation.Options{})
	b.Write("ada/memory/moved.md", memoirtest.Note("Moved", memories.Reference, "The dashboards are on grafana.example.org, one for each team."))
	b.Scan("ada")
	b.Write("ada/memory/moved.md", memoirtest.Note("Moved", memories.Reference, "Dashboards: the old ones were switched off, the new ones are in the portal."))
	b.Scan("ada")
	b.Write("ada/memory/old.md", strings.Replace(memoirtest.Note("Old dashboards", memories.Reference, "The dashboards are on grafana.example.org, one for each team."), "\n", "\n", 1))
	at := time.Now().Add(-72 * time.Hour)
	if err := os.Chtimes(b.Path("ada/memory/old.md"), at, at); err != nil {
		t.Fatal(err)
	}
	b.Scan("ada")
	before := map[string]string{}
	for name := range untidy() {
		before[name] = b.Read(name)
	}
	plan := b.plan("ada")
	merge := step(t, plan, "Keep “Releases”, delete “Release days”")
	if len(merge.Changes) != 2 || merge.Changes[0].Name != "Dates" || !strings.Contains(merge.Changes[0].After.Body, "see [[Releases]] and") || merge.Changes[1].After != nil {
		t.Errorf("a duplicate goes by %+v", merge.Changes)
	}
	if merge.CharsAfter >= merge.CharsBefore || merge.CharsBefore != len([]rune(b.Read("ada/CLAUDE.md"))) {
		t.Errorf("CLAUDE.md goes from %d to %d characters", merge.CharsBefore, merge.CharsAfter)
	}
	if s := step(t, plan, "Delete “Old dashboards”"); !strings.Contains(s.Reason, "the text that “Moved” had") {
		t.Errorf("it is deleted because %s", s.Reason)
	}
	if s := step(t, plan, "Update MEMORY.md"); strings.Contains(s.Changes[0].After.Body, "gone.md") || !strings.Contains(s.Changes[0].After.Body, "staging.md") {
		t.Errorf("the index becomes %s", s.Changes[0].After.Body)
	}
	if len(plan.Steps) != 3 {
		t.Errorf("the steps are %q", titles(plan.Steps))
	}
	for _, s := range plan.Steps {
		for _, c := range s.Changes {
			if strings.HasPrefix(c.Name, "Short") || c.Name == "Staging" || c.Name == "Production" {
				t.Errorf("%s is to be changed: %s", c.Name, s.Reason)
			}
		}
	}
	for name, text := range before {
		if b.Read(name) != text {
			t.Errorf("%s has been changed by a plan", name)
		}
	}
}

func TestMakePlan_Pairs(t *testing.T) {
	t.Parallel()
	note := memoirtest.Note
	b := setup(t, memoirtest.Files{
		"ada/memory/queue_old.md": note("Queue choice", memories.Project, "Jobs go through RabbitMQ, with one exchange per team."),
		"ada/memory/queue_new.md": note("Queue choice since May", memories.Project, "Jobs go through the table job_queue in Postgres. Replaces [[Queue choice]]."),
		"ada/memory/jobs.md":      note("Jobs", memories.Feedback, "Long jobs are cut into parts, see [[Queue choice]]."),
		"ada/memory/port_old.md":  note("Billing service port", memories.Reference, "The billing service listens on port 8080 in production."),
		"ada/memory/port_new.md":  note("Billing port", memories.Reference, "The billing service listens on port 9090 in production."),
		"ada/memory/tea.md":       note("Tea", memories.User, "Mira drinks green tea in the morning and black tea after lunch."),
		"ada/memory/tea_too.md":   note("Tea preferences", memories.User, "In the morning Mira drinks green tea, after lunch a black tea."),
	}, consolidation.Options{})
	plan := b.plan("ada")
	replaced := step(t, plan, "Delete “Queue choice”")
	if len(plan.Steps) != 1 || !strings.Contains(replaced.Reason, "“Queue choice since May” replaces it") {
		t.Errorf("steps %q: %s", titles(plan.Steps), replaced.Reason)
	}
	var found []string
	for _, f := range plan.Findings {
		found = append(found, f.Text)
	}
	texts := strings.Join(found, "\n")
	if len(found) != 2 || !strings.Contains(texts, "may contradict it: Different number") || !strings.Contains(texts, "nearly the same as “Tea") {
		t.Errorf("findings %q", found)
	}
	if r := b.apply("ada", replaced)[0]; r.Error != nil {
		t.Fatal(r.Error)
	}
	if jobs := b.Read("ada/memory/jobs.md"); !strings.Contains(jobs, "[[Queue choice since May]]") || b.Memory("ada", "Queue choice").State != memories.Deleted {
		t.Errorf("the link is in %q", jobs)
	}
}

func TestMakePlan_SkipsTeamMemories(t *testing.T) {
	// Team memories may repeat private ones and have dead links. Only people may change them.
	t.Parallel()
	const said = "The dashboards are on grafana.example.org, one for each team."
	fakeModel := modeltest.New(t, proposals())
	b := setup(t, memoirtest.Files{
		"ada/memory/releases.md":           memoirtest.Note("Releases", memories.Project, aboutReleases),
		"ada/memory/team/releases.md":      memoirtest.Note("Releases", memories.Project, aboutReleases),
		"ada/memory/team/release-days.md":  memoirtest.Note("Release days", memories.Project, aboutReleases),
		"ada/memory/team/release-notes.md": memoirtest.Note("Release notes", memories.Project, aboutReleases+" The notes are Mira's, see [[Releases once]]."),
		"ada/memory/moved.md":              memoirtest.Note("Moved", memories.Reference, said),
		"ada/memory/team/moved.md":         memoirtest.Note("Moved by us", memories.Reference, said+" Ask for an account."),
		"ada/memory/once.md":               memoirtest.Note("Releases once", memories.Project, "Releases were cut by hand, once."),
	}, consolidation.Options{Model: fakeModel.Model(), ModelName: "a model"})
	for _, name := range []string{"moved.md", "team/moved.md"} {
		title := map[string]string{"moved.md": "Moved", "team/moved.md": "Moved by us"}[name]
		b.Write("ada/memory/"+name, memoirtest.Note(title, memories.Reference, "The old ones were switched off, "+title+"."))
	}
	b.Remove("ada/memory/once.md")
	b.Scan("ada")
	at := time.Now().Add(-72 * time.Hour)
	for _, name := range []string{"old.md", "team/old.md"} {
		body := map[string]string{"old.md": said + " Ask for an account.", "team/old.md": said}[name]
		b.Write("ada/memory/"+name, memoirtest.Note("Old "+name, memories.Reference, body))
		if err := os.Chtimes(b.Path("ada/memory/"+name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	b.Scan("ada")
	plan := b.plan("ada")
	if len(plan.Steps) != 0 || plan.Memories != 3 {
		t.Errorf("of %d memories the steps are %q", plan.Memories, titles(plan.Steps))
	}
	for _, f := range plan.Findings {
		for _, team := range []string{"Release days", "Release notes", "Moved by us", "team/old.md"} {
			if strings.Contains(f.Name+f.Text, team) {
				t.Errorf("to look at is %+v", f)
			}
		}
	}
	if text := fakeModel.Requests()[0].Text; strings.Contains(text, "Release days") || strings.Contains(text, "Moved by us") {
		t.Errorf("the model was sent the team's: %s", text)
	}
}

func TestMakePlan_NoFalseFindings(t *testing.T) {
	// The memories of the examples and of the recall benchmark are all different.
	t.Parallel()
	dir := t.TempDir()
	if err := examples.Copy(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range recalltest.Quality.Files(t) {
		path := dir + "/recalled/memory/" + name
		if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{Memoir: memoirtest.StartIn(t, agents.Settings{AgentsDir: dir})}
	b.consolidate(consolidation.Options{})
	for _, slug := range []string{"code-reviewer", "data-analyst", "on-call", "recalled"} {
		plan := b.plan(slug)
		if plan.Memories < 10 {
			t.Errorf("%s has %d memories", slug, plan.Memories)
		}
		for _, s := range plan.Steps {
			t.Logf("%s: %s (%s)", slug, s.Title, s.Reason)
			if s.Kind != "reindex" {
				t.Errorf("%s: %s: %s", slug, s.Title, s.Reason)
			}
		}
		for _, f := range plan.Findings {
			t.Logf("%s: %s: %s", slug, f.Name, f.Text)
		}
	}
}
