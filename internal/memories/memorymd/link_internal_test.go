package memorymd

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMatchLinks_SameAsRegexp(t *testing.T) {
	t.Parallel()
	pieces := []string{"- ", "[", "]", "(", ")", "](", "[a]", "(b.md)", "[c](d.md)", " — hook", "\\", "<", ">", " ", "\"t\"", "e.md", "[e.md]", "[[f.md]]", "#g", "%20", "\t", "é", "http://h", ":", "//", "**", "\u00a0", "\x7f", "\v"}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 9).Draw(t, "line"), "")
			if got, want := matchLinks(line), linkShapes.FindAllStringSubmatchIndex(line, -1); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: matched at sight %v, by the expression %v", line, got, want)
			}
			if got, want := hasScheme(line), schemeShape.MatchString(line); got != want {
				t.Fatalf("%q has a scheme: %v, and by the expression %v", line, got, want)
			}
		}
	})
}
