package recallbench_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"memoir/internal/recallbench"
)

// invented has the format of LoCoMo's file. All of it is made up.
const invented = `[
{"sample_id": "Talk-1",
 "conversation": {"speaker_a": "Ada", "speaker_b": "Bob",
  "session_1_date_time": "1 May", "session_1": [
   {"speaker": "Ada", "dia_id": "D1:1", "text": "I keep bees."}, {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a hive", "img_url": ["x"]}],
  "session_10_date_time": "2 May", "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "My kayak is red."}],
  "session_2_date_time": "3 May", "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "The bees are gone."}], "session_3_date_time": "4 May"},
 "observation": {"session_1_observation": {"Ada": [["Ada keeps bees in the garden.", "D1:1"]], "Bob": [["Bob likes the hive of Ada.", ["D1:2", "D1:1"]], "odd"]}},
 "event_summary": {}, "session_summary": {},
 "qa": [
  {"question": "What does Ada keep?", "answer": "bees", "evidence": ["D1:1"], "category": 4},
  {"question": "When were the bees gone?", "answer": 3, "evidence": ["D1:1; D2:1", "D1:2"], "category": 1},
  {"question": "What does Bob keep?", "adversarial_answer": "bees", "evidence": ["D1:1"], "category": 5},
  {"question": "Who said so?", "answer": "?", "evidence": [], "category": 3}]},
{"sample_id": "talk-2",
 "conversation": {"speaker_a": "Cleo", "speaker_b": "Dan", "session_1": [{"speaker": "Cleo", "text": "I paint."}]},
 "observation": {},
 "qa": [{"question": "What does Cleo tell Dan?", "evidence": ["D1:1"], "category": 2}, {"question": "Does Dan paint?", "evidence": ["D1:1"], "category": 5}]}
]`

func TestLoCoMo_Sessions(t *testing.T) {
	t.Parallel()
	if raw := []byte("\ufeff\n" + invented); !recallbench.IsLoCoMo(raw) || recallbench.IsLoCoMo([]byte(ownJSON)) || recallbench.IsLoCoMo([]byte(ownYAML)) {
		t.Error("the formats are not told apart")
	}
	read, err := recallbench.ParseLoCoMo([]byte(invented))
	if err != nil {
		t.Fatal(err)
	}
	sets := read.Sets(recallbench.Sessions)
	if len(sets) != 2 || sets[0].Agent != "talk-1-sessions" || sets[1].Agent != "talk-2-sessions" {
		t.Fatalf("the sets are %+v", sets)
	}
	var files []string
	for _, f := range sets[0].Files {
		files = append(files, f.Path+" = "+f.Answer)
	}
	if want := []string{"memory/project_s01.md = session 1", "memory/project_s02.md = session 2", "memory/project_s10.md = session 10"}; !reflect.DeepEqual(files, want) {
		t.Errorf("the files are %q, want %q", files, want)
	}
	if got, want := string(sets[0].Files[0].Content), "---\nname: Session 1\ndescription: Conversation, 1 May\ntype: project\n---\n\nAda: I keep bees.\n\nBob: Nice! [shares a picture: a hive]\n"; got != want {
		t.Errorf("the first is %q, want %q", got, want)
	}
	want := []recallbench.Question{
		{Prompt: "What does Ada keep?", Kind: "single-hop", Expected: []string{"session 1"}},
		{Prompt: "When were the bees gone?", Kind: "multi-hop", Expected: []string{"session 1", "session 2"}},
		{Prompt: "What does Bob keep?", Kind: recallbench.Adversarial, Expected: []string{"session 1"}},
		{Prompt: "What does Ada tell Bob?", Kind: recallbench.Foreign},
	}
	if got := sets[0].Questions; !reflect.DeepEqual(got, want) {
		t.Errorf("the questions are\n%+v\nwant\n%+v", got, want)
	}
}

func TestLoCoMo_Facts(t *testing.T) {
	t.Parallel()
	read, err := recallbench.ParseLoCoMo([]byte(invented))
	if err != nil {
		t.Fatal(err)
	}
	set := read.Sets(recallbench.Facts)[0]
	if len(set.Files) != 2 || set.Agent != "talk-1-facts" {
		t.Fatalf("the set is %+v", set)
	}
	want := "---\nname: bob-likes-hive-ada-0102\ndescription: Bob likes the hive of Ada.\ntype: project\n---\n\nBob likes the hive of Ada. (1 May)\n"
	if f := set.Files[1]; f.Path != "memory/project_s01_02.md" || f.Answer != "session 1" || string(f.Content) != want {
		t.Errorf("the second fact is %q\n%s", f.Path, f.Content)
	}
}

func TestLoCoMo_ForeignSpread(t *testing.T) {
	t.Parallel()
	var all []map[string]any
	if err := json.Unmarshal([]byte(invented), &all); err != nil {
		t.Fatal(err)
	}
	var many []any
	for i := range 130 {
		many = append(many, map[string]any{"question": "Question " + strings.Repeat("x", i), "evidence": []string{}, "category": 4})
	}
	all[1]["qa"] = many
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	read, err := recallbench.ParseLoCoMo(raw)
	if err != nil {
		t.Fatal(err)
	}
	foreign := read.Sets(recallbench.Facts)[0].Questions[3:]
	if len(foreign) != 60 || foreign[59].Prompt != "Question "+strings.Repeat("x", 118) {
		t.Errorf("%d foreign questions, the last is %q", len(foreign), foreign[len(foreign)-1].Prompt)
	}
}

func TestParseLoCoMo_Mistakes(t *testing.T) {
	t.Parallel()
	for change, want := range map[[2]string]string{
		{invented, `[`}:                 "unexpected end of JSON input",
		{invented, `[]`}:                "no conversations",
		{invented, `[{"prompt": "a"}]`}: "conversation 1 (\"\") is not as LoCoMo publishes it: sample_id must be letters",
		{invented, `[7]`}:               "a list must be LoCoMo's conversations",
		{`"talk-2"`, `"TALK-1"`}:        "two conversations are named",
		{`"Talk-1"`, `"../etc"`}:        "sample_id must be letters",
		{`"speaker_b": "Dan", `, ``}:    "conversation has no speaker_b",
		{`"session_1": [{"speaker": "Cleo"`, `"session_x": [{"speaker": "Cleo"`}: "conversation has no session_1",
		{`"category": 2`, `"category": 6`}:                                       "question 1 needs a question, and a category from 1 to 5",
	} {
		raw := strings.Replace(invented, change[0], change[1], 1)
		if _, err := recallbench.ParseLoCoMo([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", change[1], err, want)
		}
	}
}
