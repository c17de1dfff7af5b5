package ranking

import (
	_ "embed" // synonyms.txt
	"strings"
)

// synonymGroups are words for the same thing in software work, one group a line. A word may be in
// several groups.
//
//go:embed synonyms.txt
var synonymGroups string

var synonymsOf = func() map[string][]string {
	of := map[string][]string{}
	for line := range strings.Lines(synonymGroups) {
		group := strings.Fields(line)
		for _, word := range group {
			for _, other := range group {
				if other != word {
					of[word] = append(of[word], other)
				}
			}
		}
	}
	return of
}()
