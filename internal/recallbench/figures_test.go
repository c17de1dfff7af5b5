package recallbench_test

import (
	"encoding/json"
	"testing"

	"memoir/internal/recallbench"
)

func TestCount_Figures(t *testing.T) {
	t.Parallel()
	type asked struct {
		expected []string
		given    recallbench.Given
	}
	for name, c := range map[string]struct {
		questions []asked
		want      string
	}{
		"no questions": {nil, `{"any_at_5":null,"share_at_5":null,"first_hit":null,"given":null,"precision":null,"silent":null}`},
		"first and complete": {[]asked{{[]string{"a"}, recallbench.Given{"a"}}},
			`{"any_at_5":100,"share_at_5":100,"first_hit":100,"given":1,"precision":100,"silent":0}`},
		"one of three, second": {[]asked{{[]string{"a", "b", "c"}, recallbench.Given{"x", "b"}}},
			`{"any_at_5":100,"share_at_5":33.33,"first_hit":0,"given":2,"precision":50,"silent":0}`},
		"two facts of one session": {[]asked{{[]string{"a", "b"}, recallbench.Given{"a", "a"}}},
			`{"any_at_5":100,"share_at_5":50,"first_hit":100,"given":2,"precision":100,"silent":0}`},
		"silent on answerable": {[]asked{{[]string{"a"}, nil}, {[]string{"b"}, recallbench.Given{"b"}}},
			`{"any_at_5":50,"share_at_5":50,"first_hit":50,"given":0.5,"precision":100,"silent":50}`},
		"always silent": {[]asked{{[]string{"a"}, nil}},
			`{"any_at_5":0,"share_at_5":0,"first_hit":0,"given":0,"precision":null,"silent":100}`},
		"silence is right": {[]asked{{nil, nil}, {nil, recallbench.Given{"a", "b", "c"}}},
			`{"any_at_5":null,"share_at_5":null,"first_hit":null,"given":1.5,"precision":null,"silent":50}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var count recallbench.Count
			for _, q := range c.questions {
				count.Add(q.expected, q.given)
			}
			got, err := json.Marshal(count.Figures())
			if err != nil || string(got) != c.want || count.Questions() != len(c.questions) {
				t.Errorf("%d questions: %s, %v; want %s", count.Questions(), got, err, c.want)
			}
		})
	}
}

func TestIsMiss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expected []string
		given    recallbench.Given
		want     bool
	}{
		{[]string{"a", "b"}, recallbench.Given{"x", "b"}, false},
		{[]string{"a"}, recallbench.Given{"x"}, true},
		{[]string{"a"}, nil, true},
		{nil, nil, false},
		{nil, recallbench.Given{"x"}, true},
	} {
		if got := recallbench.IsMiss(c.expected, c.given); got != c.want {
			t.Errorf("IsMiss(%v, %v) = %v", c.expected, c.given, got)
		}
	}
}
