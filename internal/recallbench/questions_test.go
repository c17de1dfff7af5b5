package recallbench_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"memoir/internal/recallbench"
)

const ownYAML = `# how well does my project's memory answer?
agent: my-project
questions:
  - prompt: how do we deploy
    expect: [deploy-rules, "release: day"]
  - prompt: "8080"
    expect:
      - ports
  - prompt: who pays
    expect: billing
  - prompt: what is the weather
    expect: []
`

const ownJSON = `{
	"agent": "my-project",
	"questions": [
		{"prompt": "how do we deploy", "expect": ["deploy-rules", "release: day"]},
		{"prompt": "8080", "expect": ["ports"]},
		{"prompt": "who pays", "expect": "billing"},
		{"prompt": "what is the weather", "expect": []}, // a comma may be last
	]
}`

func TestParseQuestions_Formats(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		lines []int // of the agent and of the expected memories
	}{
		"YAML":            {ownYAML, []int{2, 5, 5, 8, 10}},
		"JSON":            {ownJSON, []int{2, 4, 4, 5, 6}},
		"byte order mark": {"\ufeff" + ownJSON, []int{2, 4, 4, 5, 6}},
		"Windows lines":   {strings.ReplaceAll(ownYAML, "\n", "\r\n"), []int{2, 5, 5, 8, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := func(i int, value string) recallbench.Text { return recallbench.Text{Value: value, Line: c.lines[i]} }
			want := recallbench.QuestionFile{Agent: at(0, "my-project"), Questions: []recallbench.OwnQuestion{
				{Prompt: "how do we deploy", Expect: []recallbench.Text{at(1, "deploy-rules"), at(2, "release: day")}},
				{Prompt: "8080", Expect: []recallbench.Text{at(3, "ports")}},
				{Prompt: "who pays", Expect: []recallbench.Text{at(4, "billing")}},
				{Prompt: "what is the weather"},
			}}
			got, mistakes := recallbench.ParseQuestions([]byte(c.text))
			if len(mistakes) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("ParseQuestions() = %+v, %v\nwant %+v", got, mistakes, want)
			}
		})
	}
}

func TestParseQuestions_Mistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "1: the file is empty",
		"# nothing\n":               "1: the file is empty",
		"- prompt: a\n":             "1: the file must have the fields agent and questions",
		"agent: a\n":                "1: no questions: add questions",
		"agent:\nquestions: []\n":   "1: agent must be a text: write its slug; 2: questions must be a list with at least one question",
		"questions:\n- prompt: a\n": "2: the question has no expect",
		"questions:\n- expect: a\n": "2: the question has no prompt",
		"questions:\n- a\n":         "2: a question must have the fields prompt and expect",
		"questions: [{prompt: a, expect: {b: c}}]":                     "1: expect must be a list of names or ids",
		"questions:\n- prompt: a\n  expect:\n":                         "3: the question has no expect",
		"questions:\n- prompt: ''\n  expect: [[b]]\n":                  "2: prompt must be a text; 3: an entry of expect must be a text",
		"questions:\n- prompt: a\n  expects: [b]\n":                    `2: the question has no expect; 3: unknown field "expects": use prompt and expect`,
		"agents: a\nquestions:\n- prompt: a\n  expect: []\n":           `1: unknown field "agents": use agent and questions`,
		"questions:\n- prompt: a\n  prompt: b\n  expect: []\n":         "3: prompt is there twice: remove one",
		"questions:\n- prompt: a: b\n  expect: []\n":                   "2: not YAML: mapping values are not allowed in this context. Put texts",
		"questions:\n- prompt: a\n  expect: []\n---\nquestions: []\n":  "4: a second document begins here",
		"{\n\"questions\": [\n{\"prompt\": \"a\", \"expect\": null}]}": "3: the question has no expect",
		"{\n\"questions\": [\n{\"prompt\": \"a\" \"expect\": []}]}":    "3: not JSON: ",
		"{\"questions\": [\n\n{\"prompt\": \"a\", \"expct\": []}]}":    `3: unknown field "expct"; 3: the question has no expect`,
		"a: &a [*a]\nquestions: *a\n":                                  `1: unknown field "a"; 1: a question must have`,
		"questions: &q\n- prompt: a\n  expect: *q\n":                   "2: an entry of expect must be a text",
	} {
		_, mistakes := recallbench.ParseQuestions([]byte(text))
		var got []string
		for _, m := range mistakes {
			got = append(got, fmt.Sprintf("%d: %s", m.Line, m.Reason))
		}
		parts := strings.Split(want, "; ")
		isWanted := len(got) == len(parts)
		for i := range got {
			isWanted = isWanted && strings.HasPrefix(got[i], parts[i])
		}
		if !isWanted {
			t.Errorf("%q has the mistakes\n%s\nwant\n%s", text, strings.Join(got, "\n"), strings.Join(parts, "\n"))
		}
	}
}
