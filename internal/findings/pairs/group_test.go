package pairs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/findings"
	"memoir/internal/findings/pairs"
)

func TestGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, pairs, want string }{
		{"none", "", ""},
		{"apart", "ab:9 cd:8", "ab cd"},
		{"chain", "ab:9 bc:8 cd:7", "abcd"},
		{"two sets that fit", "ab:9 cd:8 bc:7", "abcd"},
		{"two sets that are too large", "ab:9 bc:9 de:8 cd:7", "abc de"},
		{"copies of one text", "ab:9 ac:9 ad:9 ae:9 af:9", "abcd aef"},
		{"kinds are apart", "ab:9 !bc:9", "!bc ab"},
	} {
		var all []findings.Pair
		for _, p := range strings.Fields(c.pairs) {
			pair := findings.Pair{Kind: findings.Duplicate, Score: float64(p[len(p)-1]-'0') / 10}
			if strings.HasPrefix(p, "!") {
				pair.Kind, p = findings.Contradiction, p[1:]
			}
			pair.A, pair.B = p[:1], p[1:2]
			all = append(all, pair)
		}
		for range 2 {
			var got []string
			for _, s := range pairs.Group(all) {
				mark := ""
				if s.Kind == findings.Contradiction {
					mark = "!"
				}
				got = append(got, mark+strings.Join(s.IDs, ""))
				if len(s.Pairs) < len(s.IDs)-1 {
					t.Errorf("%s: the set %v has %d pairs", c.name, s.IDs, len(s.Pairs))
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(strings.Fields(c.want)) {
				t.Errorf("%s: got %v, want %s", c.name, got, c.want)
			}
			slices.Reverse(all)
		}
	}
}
