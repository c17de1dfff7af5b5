package ranking

import (
	"slices"
	"strings"
	"testing"
)

func TestParse_Scripts(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"deploy pipeline": {"deploy", "pipeline"},
		"數據庫":             {"數據", "據庫", "數", "據", "庫"},
		"배포를 API로 한":      {"api", "배포를"},
		"東京에서 배포":         {"東京", "에서", "東", "京", "배포"},
		strings.Repeat("가나다라마바사아", 2): {"가나", "나다", "다라", "라마", "마바", "바사", "사아", "아가"},
	} {
		var got []string
		for _, term := range Parse(query, "").Terms {
			got = append(got, term.Word)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q speaks of %q, want %q", query, got, want)
		}
	}
	var counted []string
	for _, v := range (Term{Word: "담당자한테", Run: true}).variants(nil, "en") {
		counted = append(counted, v.Word)
	}
	if !slices.Equal(counted, []string{"담당자한테", "담당자한", "담당자"}) {
		t.Errorf("what counts as a Korean word is %q", counted)
	}
}
