package recall_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/records"
)

func explain(t *testing.T, m *memoirtest.Memoir, query string) recall.Explanation {
	t.Helper()
	e, err := m.Recaller.Explain(t.Context(), "ada", query)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExplain_SameAsRecall(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	for _, query := range []string{
		"when do we deploy", "is there a deployment day?", "which databse do the services use", "备份数据库", "where is the coffee machine",
		"what is the capital of mongolia", "the and of", "??? !!!", "deploy", "", "\x00\xff when do we deploy",
	} {
		e := explain(t, m, query)
		var given []string
		for i, each := range e.Given {
			given = append(given, each.Name)
			if each.Shortfall != "" || each.Score < each.Enough || len(each.Why) == 0 || each.Body != "" || i > 0 && each.Score > e.Given[i-1].Score {
				t.Errorf("%q: given is %+v", query, each)
			}
		}
		result := ask(t, m.Recaller, recall.Request{Query: query})
		if want := names(result); !slices.Equal(given, want) || e.Skipped != result.Skipped || e.Candidates != result.Candidates {
			t.Errorf("%q is explained as %q (%q, of %d) and gives %q (%q, of %d)", query, given, e.Skipped, e.Candidates, want, result.Skipped, result.Candidates)
		}
	}
	if _, err := m.Recaller.Explain(t.Context(), "nobody", "when do we deploy"); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("an unknown agent: %v", err)
	}
}

func TestExplain_RejectReasons(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{
		"ada/memory/much_less.md":  memoirtest.Note("harbour", memories.User, "The winter timetable is blue."),
		"ada/memory/too_little.md": memoirtest.Note("kettle", memories.User, "It is for the crew of the ferry."),
	}
	for i := range 7 {
		files[fmt.Sprintf("ada/memory/best_%d.md", i)] = memoirtest.Note(fmt.Sprintf("winter timetable of ferry %d", i), memories.Project, "It is printed.")
	}
	for i := range 40 { // so that the words are rare
		files[fmt.Sprintf("ada/memory/other_%d.md", i)] = memoirtest.Note(fmt.Sprintf("other %d", i), memories.User, "Nothing about ships.")
	}
	m := memoirtest.Start(t, files)
	e := explain(t, m, "what is the winter timetable of the ferry on mars")
	if len(e.Given) != recall.MaxChosen || e.Candidates != 9 {
		t.Errorf("given are %d of %d", len(e.Given), e.Candidates)
	}
	var short []string
	for _, each := range e.Close {
		short = append(short, string(each.Shortfall)+" "+each.Name[:6])
	}
	if want := []string{"past_limit winter", "past_limit winter", "much_less harbou", "too_little kettle"}; !slices.Equal(short, want) {
		t.Errorf("short are %q, want %q", short, want)
	}
	if want := []recall.Word{{Text: "winter"}, {Text: "timetable"}, {Text: "ferry"}, {Text: "mars", Unknown: true}}; !slices.Equal(e.Words, want) {
		t.Errorf("the words are %+v", e.Words)
	}
}

func TestExplain_MatchesAndMissing(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/tea.md": memoirtest.Note("tea", memories.User, "Mira drinks green tea at the harbour."),
	})
	e := explain(t, m, "may mira drink tea in bolivia")
	all := append(e.Given, e.Close...)
	if len(all) != 1 {
		t.Fatalf("explained are %+v", all)
	}
	got := all[0]
	slices.SortFunc(got.Matches, func(a, b recall.Match) int { return strings.Compare(a.Searched, b.Searched) })
	want := []recall.Match{{"drink", "drinks", "text"}, {"mira", "mira", "text"}, {"tea", "tea", "name"}}
	if !slices.Equal(got.Matches, want) || !slices.Equal(got.Missing, []string{"mira", "drink", "bolivia"}) {
		t.Errorf("matches are %+v, missing %q", got.Matches, got.Missing)
	}
	if length := len("tea") + len(got.Description) + len("Mira drinks green tea at the harbour."); got.Chars < length || got.Chars > length+2 {
		t.Errorf("it has %d characters, want %d", got.Chars, length)
	}
}

func TestExplain_NoRecord(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	explain(t, m, "when do we deploy")
	agent, err := m.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	if page, err := m.Store.Recalls(t.Context(), records.RecallList{AgentID: agent.ID, Limit: 1}); err != nil || len(page.Recalls) > 0 {
		t.Errorf("recorded is %+v, %v", page, err)
	}
}

func TestRankTexts_FunctionWords(t *testing.T) {
	t.Parallel()
	all := []memories.Memory{{ID: "1", Name: "deploy on tuesdays", Body: "Deployments go out on Tuesdays."}}
	if got := recall.RankTexts("the and of", all, time.Now()); len(got) > 0 {
		t.Errorf("given is %+v", got)
	}
	if got := recall.RankTexts("when do we deploy", all, time.Now()); len(got) != 1 {
		t.Errorf("given is %+v", got)
	}
}
