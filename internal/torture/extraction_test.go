package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/model/modeltest"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// stretch is the number of questions to the model for a conversation of 2,000 lines: one for each
// of its two pieces.
const stretch = 2

func TestKill_Extraction(t *testing.T) {
	// When both servers are killed, each agent's conversation is at another step on its way from
	// the stop hook to CLAUDE.md.
	t.Parallel()
	p := newPlace(t, seed(), 2)
	url := pgtest.New(t)
	g := &growth{place: p, claude: filepath.Join(filepath.Dir(p.agents), "claude"), database: connect(t, url)}
	modelServer := modeltest.Answering(t, g.answer)
	p.env = []string{"ANTHROPIC_API_KEY=" + modeltest.Key, "ANTHROPIC_BASE_URL=" + modelServer.URL}
	p.flags = []string{"--database-url=" + url, "--debounce=20ms", "--claude-dir=" + g.claude, "--extract-quiet=1s"}
	cases := map[string]struct {
		accepted  bool   // the proposal is accepted, and the servers are killed meanwhile
		table     string // the statement to hold writes a row to this table
		row       string // the SQL condition for the row
		questions int    // total number of questions to the model
		decided   bool   // the proposal needs no acceptance after the kill
	}{
		"quiet": {questions: stretch},     // the session is not idle for long enough yet
		"asked": {questions: 1 + stretch}, // the model has not answered
		// the answers are not stored yet
		"answered": {table: "proposals", row: "NEW.state = 'waiting'", questions: stretch * 2},
		// only the job has not ended
		"kept":     {table: "river_job", row: "NEW.state = 'completed'", questions: stretch},
		"deciding": {accepted: true, table: "proposals", row: "NEW.state = 'accepting'", questions: stretch},
		"writing":  {accepted: true, table: "memories", row: "NEW.state = 'active'", questions: stretch, decided: true},
		"written":  {accepted: true, table: "proposals", row: "NEW.state = 'accepted'", questions: stretch, decided: true},
	}
	for slug := range cases {
		g.makeConversation(slug)
	}
	p.startAll()
	for slug, c := range cases {
		if c.table != "" {
			g.standStillAt(slug, c.table, c.row)
		}
	}
	release := g.hold()
	held := 0
	for slug, c := range cases {
		if c.accepted {
			g.stops(slug)
			p.servers[0].await(slug+"'s proposal", func() bool { return len(g.proposals(slug, "waiting")) == 1 })
			go g.accept(p.servers[0], slug) // the killed server gives no answer
			held++
			g.awaitHeld(held)
		}
	}
	for _, slug := range []string{"asked", "answered", "kept"} {
		g.stops(slug)
	}
	held += 2
	g.awaitHeld(held)
	p.servers[0].await("the question", func() bool { return g.questions("asked") == 1 })
	g.stops("quiet")
	p.killAll()
	if _, err := os.Stat(filepath.Join(p.agents, "writing", "memory", "feedback_tabs.md")); err != nil {
		t.Error("the blow fell before the file was written")
	}
	if g.questions("quiet") != 0 {
		t.Fatal("the session was read before it was silent")
	}
	release()

	p.startAll()
	for slug, c := range cases {
		s := p.servers[0]
		if c.decided {
			s.await(slug+"'s proposal to be accepted", func() bool { return len(g.proposals(slug, "accepted")) == 1 })
		} else {
			s.await(slug+"'s proposal", func() bool { return len(g.proposals(slug, "waiting")) == 1 })
			g.accept(s, slug)
		}
		g.accept(p.servers[1], slug) // a second acceptance changes nothing
	}
	for slug, c := range cases {
		p.servers[0].await(slug+"'s job to end", func() bool { return g.jobsAtWork(slug) == 0 })
		if n := g.questions(slug); n != c.questions {
			t.Errorf("%s: the model was asked %d times instead of %d", slug, n, c.questions)
		}
		g.agrees(slug)
	}
}

// growth is a place whose agents hold conversations.
type growth struct {
	*place
	claude   string // the directory of Claude Code
	database *pgx.Conn

	mu    sync.Mutex
	asked map[string]int // the number of questions to the model by agent
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // nothing is lost with it
	return conn
}

// says returns the one useful line of a conversation of 2,000; rule returns the memory made from
// it.
func says(slug string) string { return "From now on tabs for " + slug + ", always." }
func rule(slug string) string { return "Indent the code of " + slug + " with tabs." }

func (g *growth) transcript(slug string) string {
	return filepath.Join(g.claude, "projects", "-work", "talk-"+slug+".jsonl")
}

func (g *growth) makeConversation(slug string) {
	g.Helper()
	var talk strings.Builder
	for i := range 2_000 {
		role, text := []string{"user", "assistant"}[i%2], fmt.Sprintf("Line %d: what does the parser of %s do?", i, slug)
		if i == 1_500 {
			text = says(slug)
		}
		line, err := json.Marshal(map[string]any{
			"type": role, "uuid": fmt.Sprint(slug, i), "sessionId": "talk-" + slug, "timestamp": "2026-03-02T10:00:00Z",
			"message": map[string]any{"role": role, "content": text},
		})
		if err != nil {
			g.Fatal(err)
		}
		talk.Write(append(line, '\n'))
	}
	for _, dir := range []string{filepath.Join(g.agents, slug, "memory"), filepath.Dir(g.transcript(slug))} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			g.Fatal(err)
		}
	}
	if err := os.WriteFile(g.transcript(slug), []byte(talk.String()), 0o644); err != nil {
		g.Fatal(err)
	}
}

// answer returns the model's reply. For one agent's conversation it does not answer the first time.
func (g *growth) answer(question modeltest.Request) modeltest.Reply {
	_, rest, _ := strings.Cut(question.Text, "the parser of ")
	slug, _, _ := strings.Cut(rest, " ")
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked == nil {
		g.asked = map[string]int{}
	}
	g.asked[slug]++
	found := []any{}
	switch {
	case slug == "asked" && g.asked[slug] == 1:
		return modeltest.Never()
	case strings.Contains(question.Text, says(slug)):
		found = append(found, map[string]any{
			"name": "Tabs", "type": "feedback", "description": "Tabs or spaces", "text": rule(slug), "why": "They said so.", "how_to_apply": "Always.",
			"quote": says(slug),
		})
	}
	return modeltest.SaysJSON(map[string]any{"memories": found})
}

func (g *growth) questions(slug string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked[slug]
}

func (g *growth) stops(slug string) {
	g.Helper()
	hook := map[string]any{"session_id": "talk-" + slug, "transcript_path": g.transcript(slug), "cwd": g.agents}
	if status, err := g.servers[0].call("POST", "/hooks/stop?agent="+slug, hook, nil); status != 200 {
		g.Fatalf("the hook was answered with %d, %v", status, err)
	}
}

type proposal struct{ ID, State string }

func (g *growth) proposals(slug, state string) []proposal {
	g.Helper()
	var list struct{ Proposals []proposal }
	path := "/api/v1/agents/" + slug + "/proposals"
	if state != "" {
		path += "?state=" + state
	}
	g.servers[0].must("GET", path, &list)
	return list.Proposals
}

// accept accepts an agent's only proposal. It reports no failure if the server is killed meanwhile.
func (g *growth) accept(s *server, slug string) {
	var list struct{ Proposals []proposal }
	if status, _ := s.call("GET", "/api/v1/agents/"+slug+"/proposals", nil, &list); status != 200 || len(list.Proposals) != 1 {
		g.Errorf("%s has %+v (%d)", slug, list.Proposals, status)
		return
	}
	if status, _ := s.call("POST", "/api/v1/agents/"+slug+"/proposals/"+list.Proposals[0].ID+"/accept", map[string]any{}, nil); status != 200 && status != 0 {
		g.Errorf("%s: accepting was answered with %d", slug, status)
	}
}

func (g *growth) jobsAtWork(slug string) (n int) {
	g.Helper()
	const unfinished = `SELECT count(*) FROM river_job WHERE args->>'slug' = $1 AND state <> 'completed'`
	if err := g.database.QueryRow(g.Context(), unfinished, slug).Scan(&n); err != nil {
		g.Fatal(err)
	}
	return n
}

// standing is the key of the advisory lock that held statements wait for.
const standing = 4711

// standStillAt adds a trigger: statements that write such a row of the agent wait while hold has
// the lock.
func (g *growth) standStillAt(slug, table, row string) {
	g.Helper()
	of := "(SELECT id FROM agents WHERE slug = '" + slug + "') = NEW.agent_id"
	if table == "river_job" {
		of = "NEW.args->>'slug' = '" + slug + "'"
	}
	g.exec(fmt.Sprintf(`
		CREATE FUNCTION stand_still_%[1]s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF %[4]s AND %[3]s THEN PERFORM pg_advisory_xact_lock_shared(%[5]d); END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER stand_still_%[1]s BEFORE INSERT OR UPDATE ON %[2]s FOR EACH ROW EXECUTE FUNCTION stand_still_%[1]s()`,
		slug, table, row, of, standing))
}

// hold takes the lock that standStillAt's triggers wait for. The returned function ends the waiting
// statements, which rolls them back, and releases the lock.
func (g *growth) hold() (release func()) {
	g.Helper()
	g.exec(fmt.Sprintf(`SELECT pg_advisory_lock(%d)`, standing))
	return func() {
		g.exec(fmt.Sprintf(`SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory' AND objid = %d AND NOT granted`, standing))
		g.exec(fmt.Sprintf(`SELECT pg_advisory_unlock(%d)`, standing))
	}
}

func (g *growth) awaitHeld(many int) {
	g.Helper()
	g.servers[0].await(fmt.Sprint(many, " statements to stand still"), func() bool {
		var n int
		err := g.database.QueryRow(g.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`, standing).Scan(&n)
		return err == nil && n == many
	})
}

func (g *growth) exec(sql string) {
	g.Helper()
	if _, err := g.database.Exec(g.Context(), sql); err != nil {
		g.Fatal(err)
	}
}

// agrees checks that an agent has one proposal, one memory with one revision, one file, and one
// heading in CLAUDE.md.
func (g *growth) agrees(slug string) {
	g.Helper()
	s := g.servers[0]
	var list struct {
		Memories []struct{ ID, Name, Body string }
		Total    int
	}
	s.must("GET", "/api/v1/agents/"+slug+"/memories", &list)
	if list.Total != 1 || !strings.HasPrefix(list.Memories[0].Body, rule(slug)) {
		g.Fatalf("%s has %+v", slug, list)
	}
	var history struct{ Revisions []json.RawMessage }
	s.must("GET", "/api/v1/agents/"+slug+"/memories/"+list.Memories[0].ID+"/revisions", &history)
	if n := len(history.Revisions); n != 1 {
		g.Errorf("%s: its memory has %d revisions", slug, n)
	}
	if all, accepted := g.proposals(slug, ""), g.proposals(slug, "accepted"); len(all) != 1 || len(accepted) != 1 {
		g.Errorf("%s has %+v", slug, all)
	}
	// the only error is a bad pattern
	found, _ := filepath.Glob(filepath.Join(g.agents, slug, "memory", "*"))
	if len(found) == 0 || filepath.Base(found[len(found)-1]) != "feedback_tabs.md" || len(found) == 2 && filepath.Base(found[0]) != "MEMORY.md" || len(found) > 2 {
		g.Errorf("%s has the files %q", slug, found)
	}
	for _, path := range []string{filepath.Join(g.agents, slug, "memory", "feedback_tabs.md"), filepath.Join(g.agents, slug, "CLAUDE.md")} {
		if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), rule(slug)) != 1 {
			g.Errorf("%s: %v\n%s", path, err, text)
		}
	}
}

// await waits until holds returns true. If it does not in time, the test fails with the server's
// log.
func (s *server) await(what string, holds func() bool) {
	s.Helper()
	waittest.NoError(s, what, func() error {
		if holds() {
			return nil
		}
		return serverLog{s}
	})
}

// serverLog is an error whose text is the server's log at the time of printing.
type serverLog struct{ *server }

func (l serverLog) Error() string { return "the condition is false\n" + l.log() }
