package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// minValue is the length in bytes of the shortest credential that is also removed where no rule
// finds it. A shorter one may be a part of many words.
const minValue = 6

// Values returns the credentials in the texts, each once, the longest first.
func Values(texts ...string) []string {
	var values []string
	for _, text := range texts {
		for _, f := range All(text) {
			values = append(values, text[f.Start:f.End])
		}
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(values)
}

// RemoveValues returns a text with Removed in place of each of the values and of each credential.
// values are sorted as Values returns them.
func RemoveValues(text string, values []string) string { return Redact(ReplaceValues(text, values)) }

// ReplaceValues returns a text with Removed in place of each of the values, also where no rule finds
// them. It leaves out values that are shorter than 6 bytes.
func ReplaceValues(text string, values []string) string {
	for _, v := range values {
		if len(v) >= minValue {
			text = strings.ReplaceAll(text, v, Removed)
		}
	}
	return text
}
