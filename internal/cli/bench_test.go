package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recallbench"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

// benchAgents are the memories that the questions of the tests are about.
var benchAgents = memoirtest.Files{
	"ada/memory/MEMORY.md":      "- The bank closes at noon on Fridays\n",
	"ada/memory/deploy.md":      note("deploy-rules", memories.Feedback, "Deployments go out on Tuesdays only, after the release notes are written."),
	"ada/memory/ports.md":       note("ports", memories.Reference, "The payment server listens on port 8081."),
	"ada/memory/team/ports.md":  note("ports", memories.Reference, "The wiki listens on port 9000."),
	"ada/memory/coffee.md":      note("coffee", memories.Project, "The coffee machine on the third floor needs descaling each month."),
	"ada/memory/naming.md":      note("Naming of branches", memories.Feedback, "Branches begin with the number of their ticket."),
	"bob/memory/nothing.md":     note("nothing much", memories.User, "Bob likes rowing."),
	"ada/memory/retries.md":     note("retries", memories.Project, "Requests to the bank are repeated three times."),
	"ada/memory/holidays.md":    note("holidays", memories.Project, "The office is closed in the last week of December."),
	"ada/memory/colours.md":     note("colours", memories.Reference, "Warnings are amber, errors are red."),
	"ada/memory/reviewers.md":   note("reviewers", memories.User, "Ask Grace for a review of migrations."),
	"ada/memory/screenshots.md": note("screenshots", memories.Feedback, "Add pictures to each change of a page."),
}

// benched is the JSON of bench.
type benched struct {
	Results []struct {
		File, Unit, Agent, Asked string
		Memories                 int
		Groups                   []struct {
			Group        string
			Questions    int
			Memoir, BM25 recallbench.Figures
		}
	}
}

func (t *terminal) bench(args ...string) (found benched) {
	t.Helper()
	out := t.memoir(append([]string{"bench", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out.stdout), &found); out.code != 0 || err != nil || strings.Count(out.stdout, "\n") != 1 {
		t.Fatalf("%s: code %d, %v: %s%s", out.said, out.code, err, out.stdout, out.stderr)
	}
	return found
}

// memoryID returns the id of the memory or fact with a name that a search for word finds. It waits
// until there is one.
func (t *terminal) memoryID(name, word string) (id string) {
	t.Helper()
	waittest.For(t, "the memory "+name, func() bool {
		answer, err := http.Get(t.env["MEMOIR_URL"] + "/api/v1/search?q=" + word)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var list wire.MemoryList
		if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
			t.Fatal(err)
		}
		for _, m := range list.Memories {
			if m.Name == name {
				id = m.ID
			}
		}
		return id != ""
	})
	return id
}

// figure returns the text of a figure, with one decimal.
func figure(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f", *f)
}

func TestBench_OwnQuestions(t *testing.T) {
	t.Parallel()
	term := setup(t)
	for path, text := range benchAgents {
		term.put("agents/"+path, text)
	}
	term.put("team/greeting.md", note("greeting", memories.Feedback, "Customers are greeted with their first name."))
	term.serveMemoir("--team-dir=" + term.at("team"))
	id, fact := term.memoryID("coffee", "descaling"), term.memoryID("MEMORY.md", "noon")
	term.put("own.yaml", `agent: ada
questions:
  - prompt: on which days do deployments go out?
    expect: [deploy-rules]
  - prompt: how are customers greeted?
    expect: greeting
  - prompt: when is the coffee machine descaled, and how do branches begin?
    expect: [coffee, Naming of branches]
  - prompt: which wallpaper hangs in the kitchen?
    expect: [colours]
  - prompt: does the neighbour's bicycle lean against the wall of the office every morning?
    expect: []
  - prompt: ask Grace for a review of migrations
    expect: []
`)
	table := term.memoir("bench", "own.yaml", "--misses", "misses.jsonl").wants(0, "own.yaml: agent ada, 11 memories, asked as by the hook, median ", "").stdout
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 7 || strings.Join(strings.Fields(lines[2]), " ") != "QUESTIONS NUMBER BY ANY@5 SHARE@5 FIRST HIT GIVEN PRECISION SILENT" ||
		!strings.HasPrefix(lines[3], "answerable         4  Memoir   75.0") || !strings.HasPrefix(lines[6], "                      BM25        -        -          -  ") {
		t.Errorf("the table is\n%s", table)
	}
	for _, line := range lines[3:] {
		if len(line) != len(lines[2]) {
			t.Errorf("the columns are not aligned:\n%s", table)
		}
	}
	result := term.bench("own.yaml").Results[0]
	if result.File != "own.yaml" || result.Agent != "ada" || result.Asked != "hook" || result.Memories != 11 || len(result.Groups) != 2 {
		t.Errorf("the result is %+v", result)
	}
	for i, want := range []string{"answerable 4: 75.0 75.0 25.0; 75.0", "unanswerable 2: - - 50.0; - 0.0"} {
		g := result.Groups[i]
		got := fmt.Sprintf("%s %d: %s %s %s; %s", g.Group, g.Questions, figure(g.Memoir.Any), figure(g.Memoir.Share), figure(g.Memoir.Silent), figure(g.BM25.Any))
		if i == 1 {
			got += " " + figure(g.BM25.Silent)
		}
		if got != want {
			t.Errorf("the figures are %q, want %q", got, want)
		}
	}
	var misses []string
	for scanner := bufio.NewScanner(strings.NewReader(term.read("misses.jsonl"))); scanner.Scan(); {
		var miss struct {
			File, Agent, Prompt string
			Expected, Given     []string
		}
		if err := json.Unmarshal(scanner.Bytes(), &miss); err != nil || miss.File != "own.yaml" || miss.Agent != "ada" {
			t.Errorf("a miss is %s, %v", scanner.Bytes(), err)
		}
		misses = append(misses, fmt.Sprintf("%s %q %q", miss.Prompt, miss.Expected, miss.Given))
	}
	if want := []string{`which wallpaper hangs in the kitchen? ["colours"] []`, `ask Grace for a review of migrations [] ["reviewers"]`}; !slices.Equal(misses, want) {
		t.Errorf("the misses are\n%s\nwant\n%s", strings.Join(misses, "\n"), strings.Join(want, "\n"))
	}

	term.put("own.json", `{"questions": [{"prompt": "where is the coffee machine?", "expect": ["`+id+`"]}, {"prompt": "does the bank close at noon?", "expect": "`+fact+`"}]}`)
	both := term.bench("own.json", "own.yaml", "--deliberate", "--agent", "ada").Results
	if len(both) != 2 || both[0].Asked != "deliberate" || figure(both[0].Groups[0].Memoir.First) != "100.0" || both[1].Groups[0].Questions != 4 {
		t.Errorf("the results are %+v", both)
	}
	term.cwd = "agents/ada"
	if got := term.bench("../../own.json").Results[0]; got.Agent != "ada" {
		t.Errorf("the working directory's agent is %q", got.Agent)
	}
	term.cwd = ""
	if shown := term.memoir("memory", "show", "coffee", "--agent", "ada", "--json").stdout; !strings.Contains(shown, `"recalls":0`) {
		t.Errorf("the questions were recorded: %s", shown)
	}
}

func TestBench_Mistakes(t *testing.T) {
	t.Parallel()
	term := setup(t)
	for path, text := range benchAgents {
		term.put("agents/"+path, text)
	}
	term.serveMemoir()
	question := "questions:\n- prompt: how do we deploy?\n  expect: [%s]\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"fields.yaml":  {"agnet: ada\nquestions:\n- promt: x\n  expect: []\n", []string{`fields.yaml:1: unknown field "agnet": use agent and questions`, "\nfields.yaml:3: the question has no prompt", `fields.yaml:3: unknown field "promt"`}},
		"agent.yaml":   {"# mine\nagent: adda\n" + fmt.Sprintf(question, ""), []string{`agent.yaml:2: unknown agent "adda"; known: ada, bob`}},
		"memory.yaml":  {"agent: ada\n" + fmt.Sprintf(question, "deploy, zeppelins"), []string{`memory.yaml:4: unknown memory "deploy": similar are "deploy-rules"`, "\nmemory.yaml:4: unknown memory \"zeppelins\": see memoir memory list --agent ada"}},
		"two.json":     {"{\"agent\": \"ada\",\n\"questions\": [{\"prompt\": \"which port?\",\n\"expect\": [\"ports\"]}]}", []string{`two.json:3: 2 memories have the name "ports": use an id, `, "(memory/team/ports.md)"}},
		"id.yaml":      {"agent: ada\n" + fmt.Sprintf(question, "00000000-0000-7000-8000-000000000000"), []string{`id.yaml:4: unknown memory "00000000-`}},
		"none.yaml":    {fmt.Sprintf(question, ""), []string{"no agent belongs to", "Name one with --agent: ada, bob"}},
		"list.json":    {`[{"prompt": "x", "expect": []}]`, []string{"list.json: conversation 1", "Own questions are a mapping with questions, not a list"}},
		"many.yaml":    {"questions:\n" + strings.Repeat("- prompt: x\n", 12), []string{"many.yaml:11: the question has no expect", "\nmany.yaml: and 2 more mistakes"}},
		"missing.yaml": {"", []string{"file missing.yaml not found"}},
	} {
		if c.text != "" {
			term.put(name, c.text)
		}
		for _, want := range c.want {
			term.memoir("bench", name).wants(1, "", want)
		}
	}
	term.memoir("bench", "two.json", "--misses", "./two.json").wants(2, "", "--misses would replace the questions in two.json")
	term.put("good.yaml", "agent: ada\n"+fmt.Sprintf(question, "deploy-rules"))
	term.memoir("bench", "good.yaml", "--misses", "no/misses.jsonl").wants(1, "", "no/misses.jsonl")
	term.memoir("bench", "good.yaml", "--url", "http://"+noServer).wants(1, "", "no server answers at http://"+noServer+"; own questions need a running server")
}

// talks has the format of LoCoMo's file. All of it is made up.
const talks = `[
{"sample_id": "Talk-1",
 "conversation": {"speaker_a": "Ada", "speaker_b": "Bob",
  "session_1_date_time": "1 May", "session_1": [
   {"speaker": "Ada", "dia_id": "D1:1", "text": "I keep bees in my garden now."}, {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a wooden hive"}],
  "session_2_date_time": "3 May", "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "My kayak is red, and it leaks."}]},
 "observation": {
  "session_1_observation": {"Ada": [["Ada keeps bees in the garden.", "D1:1"], ["Ada has a wooden hive.", "D1:2"]]},
  "session_2_observation": {"Bob": [["Bob has a red kayak that leaks.", "D2:1"]]}},
 "qa": [
  {"question": "Where does Ada keep her bees?", "answer": "garden", "evidence": ["D1:1"], "category": 4},
  {"question": "Why is his vessel under repair?", "answer": "it leaks", "evidence": ["D2:1"], "category": 3},
  {"question": "Which colour is Ada's kayak?", "adversarial_answer": "red", "evidence": ["D2:1"], "category": 5}]},
{"sample_id": "talk-2",
 "conversation": {"speaker_a": "Cleo", "speaker_b": "Dan",
  "session_1_date_time": "9 May", "session_1": [{"speaker": "Cleo", "dia_id": "D1:1", "text": "I paint lighthouses, mostly at dusk."}]},
 "observation": {"session_1_observation": {"Cleo": [["Cleo paints lighthouses at dusk.", "D1:1"]]}},
 "qa": [{"question": "Which lighthouses does Cleo paint at dusk?", "answer": "all", "evidence": ["D1:1"], "category": 2}]}
]`

func TestBench_LoCoMo(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("talks.json", talks)
	term.put("tmp/kept", "")
	term.env["TMPDIR"] = term.at("tmp")
	term.env["MEMOIR_AGENTS_DIR"], term.env["DATABASE_URL"], term.env["ANTHROPIC_API_KEY"] = "/dev/null", "postgres://127.0.0.1:1/none", "wrong"
	table := term.memoir("bench", "talks.json", "--misses", "misses.jsonl").wants(0, "talks.json: sessions, 3 memories, ", "memoir: asking a Memoir of its own 14 questions\n").stdout
	for _, want := range []string{"\n\ntalks.json: facts, 4 memories, asked as by the hook", "\nanswerable         3  Memoir   66.7", "\nsingle-hop         1  Memoir  100.0", "\nopen-domain        1  Memoir    0.0", "\nadversarial        1  Memoir  "} {
		if !strings.Contains(table, want) {
			t.Errorf("there is no %q in\n%s", want, table)
		}
	}
	if got := term.read("misses.jsonl"); !strings.Contains(got, `{"file":"talks.json","unit":"sessions","agent":"talk-1-sessions","kind":"open-domain","prompt":"Why is his vessel under repair?","expected":["session 2"],"given":[]}`) ||
		strings.Contains(got, "adversarial") {
		t.Errorf("the misses are\n%s", got)
	}
	one := term.memoir("bench", "talks.json", "--unit", "sessions", "--json", "--deliberate")
	var found benched
	if err := json.Unmarshal([]byte(one.stdout), &found); err != nil || len(found.Results) != 1 || found.Results[0].Unit != "sessions" || found.Results[0].Asked != "deliberate" {
		t.Errorf("of one unit it prints %s%s", one.stdout, one.stderr)
	}
	left, err := os.ReadDir(filepath.Join(term.home, "tmp"))
	if err != nil || len(left) != 1 {
		t.Errorf("left in the temporary directory are %v, %v", left, err)
	}
}
