package review_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

// suggestions and plans connect the review with the other features, as cmd/server does.
type (
	suggestions struct{ *extraction.Extractor }
	plans       struct{ *consolidation.Consolidator }
)

func (s suggestions) Accept(ctx context.Context, slug, id, etag string) (engine.Result, error) {
	return s.Extractor.Accept(ctx, slug, id, etag, engine.ActorOf(ctx), extraction.Edits{})
}

func (s suggestions) Refuse(ctx context.Context, slug, id, etag string) error {
	_, err := s.Extractor.Refuse(ctx, slug, id, etag, engine.ActorOf(ctx))
	return err
}

func (p plans) Apply(ctx context.Context, slug, step string) error {
	results, err := p.Consolidator.Apply(ctx, slug, []string{step}, engine.ActorOf(ctx))
	for _, r := range results {
		err = cmp.Or(err, r.Error)
	}
	return err
}

func (p plans) Undo(ctx context.Context, slug, step string) error {
	_, err := p.Consolidator.Undo(ctx, slug, step, engine.ActorOf(ctx))
	return err
}

// body is a JSON object.
type body map[string]any

// find returns an item of a kind about a memory or subject with that text, or nil.
func (s *server) find(kind, about string) *wire.ReviewItem {
	s.Helper()
	for _, item := range s.list("?limit=500&kind=" + kind).Items {
		names := item.ID
		if item.Subject != nil {
			names += *item.Subject
		}
		for _, m := range item.Memories {
			names += "\n" + m.Name
		}
		if strings.Contains(names, about) {
			return &item
		}
	}
	return nil
}

// open waits for an item of a kind about a memory or subject with that text.
func (s *server) open(kind, about string) (item wire.ReviewItem) {
	s.Helper()
	waittest.For(s, kind+" "+about, func() bool {
		found := s.find(kind, about)
		if found != nil {
			item = *found
		}
		return found != nil
	})
	return item
}

// decide posts a decision and expects success. The item must vanish at once.
func (s *server) decide(item wire.ReviewItem, choice body) (d wire.ReviewDecision) {
	s.Helper()
	if choice["etags"] == nil && len(item.Memories) > 0 {
		choice["etags"] = etagsOf(item)
	}
	status, answer := s.send("POST", "/api/v1/review/"+item.ID, choice)
	if err := json.Unmarshal([]byte(answer), &d); status != 200 || err != nil {
		s.Fatalf("%s %s %v: %d %s\n%s", item.Kind, item.ID, choice, status, answer, s.warnings())
	}
	if d.ID != item.ID || d.Kind != item.Kind || d.Agent != item.Agent || d.Decision != choice["decision"] {
		s.Errorf("answer %+v for %v of %+v", d, choice, item)
	}
	if s.find(item.Kind, item.ID) != nil {
		s.Errorf("%s %v is still in the queue", item.Kind, choice)
	}
	return d
}

func etagsOf(item wire.ReviewItem) []string {
	etags := []string{}
	for _, m := range item.Memories {
		etags = append(etags, m.ETag)
	}
	return etags
}

// examine scans all files of an agent and examines it twice, so that nothing comes later.
func (s *server) examine(slug string) {
	s.Helper()
	s.Scan(slug)
	for range 2 {
		if err := s.reviewer.Examine(s.Context(), slug); err != nil {
			s.Fatal(err)
		}
	}
}

// undo takes a decision back and expects success.
func (s *server) undo(item wire.ReviewItem) {
	s.Helper()
	if status, answer := s.send("POST", "/api/v1/review/"+item.ID+"/undo", nil); status != 200 || !strings.Contains(answer, item.ID) {
		s.Fatalf("undo of %s %s: %d %s", item.Kind, item.ID, status, answer)
	}
}

// state describes the memories and the files of an agent.
func (s *server) state(slug string) map[string]string {
	s.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.Path(slug), func(p string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		all[p] = string(raw)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	agent, err := s.Store.Agent(s.Context(), slug)
	if err != nil {
		s.Fatal(err)
	}
	page, err := s.Store.Memories(s.Context(), agent, memories.Filter{}, memories.PageRequest{Limit: 500})
	if err != nil {
		s.Fatal(err)
	}
	for _, m := range page.Memories {
		all[m.ID] = fmt.Sprint(m.Name, m.State, m.Type, m.Description, m.IsQuarantined(), m.ModifiedAt.Truncate(time.Millisecond), s.Memory(slug, m.Name).Body)
	}
	return all
}

// differences returns how two states differ.
func differences(before, after map[string]string) (all []string) {
	for key := range maps.Keys(before) {
		if before[key] != after[key] {
			all = append(all, fmt.Sprintf("%s was\n%s\nand is\n%s", key, before[key], after[key]))
		}
	}
	for key, text := range after {
		if _, had := before[key]; !had {
			all = append(all, key+" is new:\n"+text)
		}
	}
	return all
}

// everyKind are files with items of all kinds, after makeAccidents.
func everyKind() memoirtest.Files {
	note := memoirtest.Note
	all := oneOfEach()
	all["ada/memory/release.md"] = note("Release day", memories.Feedback, "Cut the release from the stable branch.")
	all["ada/memory/rollback.md"] = note("Rollback day", memories.Feedback, "Roll back within the hour if checkout fails.")
	all["ada/memory/staging.md"] = note("Staging address", memories.Reference, "The staging system is at https://staging.example.com.")
	all["ada/memory/onboarding.md"] = "---\nname: Onboarding\ndescription: Guide for new colleagues\ntype: project\nmetadata:\n  modified: 2024-05-01T10:00:00.000Z\n---\n\nWe rewrite the onboarding guide together with Priya.\n"
	all["bob/memory/lint.md"] = note("Linting", memories.User, "Bob runs eslint before each commit.")
	all["bob/memory/sub/lint.md"] = note("Linting", memories.User, "Bob runs biome after each pull.")
	for i, subject := range strings.Fields("lighthouse harvest violin glacier pottery orchard compass saffron marble falcon tunnel bicycle") {
		all[fmt.Sprintf("cleo/memory/m%02d.md", i)] = note("About the "+subject, memories.User, "Cleo keeps her "+subject+" near the window.")
	}
	var lines strings.Builder
	for path := range all {
		if file, of := strings.CutPrefix(path, "ada/memory/"); of && file != "MEMORY.md" {
			fmt.Fprintf(&lines, "- [%s](%s) — listed\n", strings.TrimSuffix(file, ".md"), file)
		}
	}
	all["ada/memory/MEMORY.md"] += lines.String()
	var index strings.Builder
	for i := range 230 {
		all[fmt.Sprintf("dora/memory/d%03d.md", i)] = note(fmt.Sprintf("Ticket %d", i), memories.Reference, strings.Repeat(fmt.Sprintf("q%dx ", i*i), 9))
		fmt.Fprintf(&index, "- [Ticket %d](d%03d.md) — q%dx\n", i, i, i*i)
	}
	all["dora/memory/MEMORY.md"] = index.String()
	return all
}

// makeAccidents makes the items that need a file as it was before, and proposals and a plan.
func (s *server) makeAccidents() {
	s.Helper()
	staging := s.Memory("ada", "Staging address")
	text := s.Read("ada/memory/staging.md")
	if _, err := s.Engine.Delete(s.Context(), "ada", staging.ID, ""); err != nil {
		s.Fatal(err)
	}
	s.Write("ada/memory/staging.md", text)
	s.Write("ada/memory/release.md", "---\nname: Release day\ntyp")
	s.Write("ada/memory/rollback.md", "")
	for i := range 11 {
		s.Remove(fmt.Sprintf("cleo/memory/m%02d.md", i))
	}
	s.Scan("ada")
	s.Scan("cleo")
	conn, err := pgx.Connect(s.Context(), s.URL)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close(s.Context())
	for i, name := range []string{"Coffee", "Deploy freeze", "Lunch"} {
		_, err := conn.Exec(s.Context(), `INSERT INTO proposals (id, agent_id, state, name, type, description, body, fingerprint, quote, session, proposed_at)
			SELECT $1, id, 'waiting', $2, 'project', 'proposed', 'Proposed text about ' || $2, $3, 'quote', 's1', now() FROM agents WHERE slug = 'ada'`,
			uuid.New(), name, []byte(fmt.Sprintf("%032d", i)))
		if err != nil {
			s.Fatal(err)
		}
	}
	if _, err := s.consolidator.MakePlan(s.Context(), "ada", memories.ByScript); err != nil {
		s.Fatal(err)
	}
	s.examine("ada")
}

// decision is a case of TestDecide_Undo.
type decision struct {
	kind, about string
	choice      body
	// holds are parts of what the memories and files say after it.
	says, saysNot []string
	final         bool // it cannot be undone
	// anew means that the undo does not make the item again.
	anew bool
}

func TestDecide_EveryKind(t *testing.T) {
	t.Parallel()
	s := serve(t, everyKind(), modeltest.SaysJSON(map[string]any{}))
	s.makeAccidents()
	merged := "The billing service listens on port 9090 since March."
	for _, d := range []decision{
		{kind: "secret", about: "Database login", choice: body{"decision": "delete"}, saysNot: []string{password}},
		{kind: "secret", about: "Database login", choice: body{"decision": "allow"}},
		{kind: "injection", about: "Orders", choice: body{"decision": "allow"}},
		{kind: "injection", about: "Orders", choice: body{"decision": "delete"}, saysNot: []string{"Ignore all previous"}},
		{kind: "contradiction", about: "Billing", choice: body{"decision": "keep_1"}},
		{kind: "contradiction", about: "Billing", choice: body{"decision": "keep_2"}},
		{kind: "contradiction", about: "Billing", choice: body{"decision": "keep_both"}, says: []string{"port 8080", "port 9090"}},
		{kind: "contradiction", about: "Billing", choice: body{"decision": "merge", "body": merged, "description": "merged"}, says: []string{merged}, saysNot: []string{"port 8080"}},
		{kind: "expired", about: "Deploy freeze", choice: body{"decision": "delete"}, saysNot: []string{"3 March 2025"}},
		{kind: "expired", about: "Deploy freeze", choice: body{"decision": "still_true"}, says: []string{"3 March 2025"}},
		{kind: "duplicate", about: "Tea", choice: body{"decision": "keep_2"}},
		{kind: "duplicate", about: "Tea", choice: body{"decision": "keep_both"}},
		{kind: "duplicate", about: "Tea", choice: body{"decision": "merge", "body": "Mira drinks tea."}, says: []string{"Mira drinks tea."}, saysNot: []string{"black tea"}},
		{kind: "junk", about: "todo", choice: body{"decision": "keep"}},
		{kind: "junk", about: "todo", choice: body{"decision": "delete"}},
		{kind: "junk", about: "todo", choice: body{"decision": "snooze", "days": 3}},
		{kind: "junk", about: "todo", choice: body{"decision": "never"}},
		{kind: "link", about: "Runbooks", choice: body{"decision": "keep"}},
		{kind: "link", about: "MEMORY.md", choice: body{"decision": "fix"}, saysNot: []string{"gone_long_ago"}},
		{kind: "unchecked", about: "Onboarding", choice: body{"decision": "still_true"}},
		{kind: "unchecked", about: "Onboarding", choice: body{"decision": "delete"}},
		{kind: "broken", about: "untyped", choice: body{"decision": "delete"}},
		{kind: "broken", about: "untyped", choice: body{"decision": "fix"}, says: []string{"type: "}},
		{kind: "index", about: "MEMORY.md", choice: body{"decision": "fix"}},
		{kind: "suggestion", about: "Coffee", choice: body{"decision": "accept"}, says: []string{"Proposed text about Coffee"}},
		{kind: "suggestion", about: "Coffee", choice: body{"decision": "dismiss"}},
		{kind: "plan", about: "", choice: body{"decision": "skip"}},
		{kind: "plan", about: "", choice: body{"decision": "apply"}, anew: true},
		{kind: "unfinished", about: "Rollback day", choice: body{"decision": "write_back"}, says: []string{"Roll back"}, final: true},
		{kind: "unfinished", about: "Release day", choice: body{"decision": "use_file"}, anew: true},
		{kind: "blocked", about: "blocked-", choice: body{"decision": "allow"}, says: []string{"staging.example.com"}, anew: true},
		{kind: "missing", about: "About the", choice: body{"decision": "delete"}, anew: true},
		{kind: "conflict", about: "Linting", choice: body{"decision": "keep_1"}},
		{kind: "conflict", about: "Linting", choice: body{"decision": "keep_2"}},
		{kind: "secret", about: "Database login", choice: body{"decision": "remove_value"}, says: []string{"[removed]"}, saysNot: []string{password + "."}, final: true},
	} {
		s.try(d)
	}
}

// try makes a decision, looks at what it has done, and undoes it.
func (s *server) try(d decision) {
	s.Helper()
	what := fmt.Sprintf("%s, %s", d.kind, d.choice["decision"])
	about := d.about
	if d.kind == "suggestion" {
		about = s.proposal(d.about)
	}
	item := s.open(d.kind, about)
	if !slices.Contains(item.Decisions, d.choice["decision"].(string)) {
		s.Errorf("%s: decisions %v", what, item.Decisions)
	}
	before := s.state(item.Agent)
	done := s.decide(item, maps.Clone(d.choice))
	if done.Undoable == d.final {
		s.Errorf("%s: undoable is %v", what, done.Undoable)
	}
	said := strings.Join(slices.Collect(maps.Values(s.state(item.Agent))), "\n")
	for _, text := range d.says {
		if !strings.Contains(said, text) {
			s.Errorf("%s: nothing says %q", what, text)
		}
	}
	for _, text := range d.saysNot {
		if strings.Contains(said, text) {
			s.Errorf("%s: something says %q: %s", what, text, around(said, text))
		}
	}
	s.examine(item.Agent)
	if s.find(item.Kind, item.ID) != nil {
		s.Errorf("%s: a scan and an examination bring it back", what)
	}
	if d.final {
		if status, answer := s.send("POST", "/api/v1/review/"+item.ID+"/undo", nil); status != 409 {
			s.Errorf("%s: undo of a final decision: %d %s", what, status, answer)
		}
		return
	}
	s.undo(item)
	s.examine(item.Agent)
	if d.anew {
		return
	}
	if s.find(item.Kind, item.ID) == nil {
		s.Errorf("%s: the item is not back after the undo", what)
	}
	if changed := differences(before, s.state(item.Agent)); len(changed) > 0 {
		s.Errorf("%s: the undo leaves differences: %s", what, strings.Join(changed, "\n"))
	}
	if status, answer := s.send("POST", "/api/v1/review/"+item.ID+"/undo", nil); status != 404 {
		s.Errorf("%s: a second undo: %d %s", what, status, answer)
	}
}

// proposal returns the id of the proposal with a name.
func (s *server) proposal(name string) string {
	s.Helper()
	page, err := s.extractor.Proposals(s.Context(), "ada", "", 50, "")
	if err != nil {
		s.Fatal(err)
	}
	for _, p := range page.Proposals {
		if p.Name == name {
			return p.ID.String()
		}
	}
	s.Fatalf("no proposal is named %s", name)
	return ""
}

// warnings returns the failures in the log.
func (s *server) warnings() string {
	var all []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
			all = append(all, line)
		}
	}
	return strings.Join(all, "")
}
