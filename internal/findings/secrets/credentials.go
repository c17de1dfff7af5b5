// Package secrets finds passwords, keys and tokens in a text. It knows the rules of gitleaks
// (https://github.com/gitleaks/gitleaks), whose rule file is embedded, and forms that people and
// agents write: labels in many languages, URLs, headers, commands and connection strings. The
// library of gitleaks would add sixty modules for repositories and archives. This package never
// stores or logs a credential, and errors and reasons do not contain one.
package secrets

import (
	"cmp"
	"slices"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/findings/normtext"
)

// Texts that replace a credential.
const (
	Bullets = "••••••••"  // by Mask
	Removed = "[removed]" // by Redact
)

// Finding is a possible credential in a text: text[Start:End].
type Finding struct {
	Rule       string // gitleaks' id of the rule, such as github-pat, or one of this package
	Line       int    // line of Start, counted from 1
	Start, End int    // byte offsets of the part to mask
}

// generic is the least specific rule. On the same line, other rules take precedence.
const generic = "generic-api-key"

// Find returns the first possible credential in a text. found is false without one. On the
// same line, a specific rule takes precedence over the generic one. It is safe for concurrent use.
// The first call parses the rules.
func Find(text string) (first Finding, found bool) {
	for _, f := range All(text) {
		if !found || f.Line == first.Line && first.Rule == generic {
			first, found = f, true
		}
	}
	return first, found
}

// All returns the possible credentials in a text, sorted and without overlaps. It is safe for
// concurrent use. The first call parses the rules.
func All(text string) []Finding {
	s := scan{reader: reader{Text: normtext.New(text), matches: map[*normtext.Pattern][][]int{}}}
	s.findFormats()
	s.findURLs()
	s.findBlocks()
	s.findHeaders()
	s.findCommands()
	s.findLabels()
	s.findPairs()
	s.findTables()
	s.findByRules()
	return s.findings(text)
}

// Mask returns a text with Bullets in place of each credential.
func Mask(text string) string { return replace(text, Bullets) }

// Redact returns a text with Removed in place of each credential.
func Redact(text string) string { return replace(text, Removed) }

func replace(text, by string) string {
	all := All(text)
	if len(all) == 0 {
		return text
	}
	var b strings.Builder
	end := 0
	for _, f := range all {
		b.WriteString(text[end:f.Start])
		b.WriteString(by)
		end = f.End
	}
	b.WriteString(text[end:])
	return b.String()
}

// Match returns a match of kind Secret with the spans of all credentials in t. The reason is that
// of the first one, or of the first specific one. ok is false if there is no credential.
func Match(t findings.Text) (m findings.Match, ok bool) {
	rule := ""
	for _, field := range []struct {
		name findings.Field
		text string
	}{{findings.Name, t.Name}, {findings.Description, t.Description}, {findings.Body, t.Body}} {
		for _, f := range All(field.text) {
			m.Spans = append(m.Spans, findings.Span{Field: field.name, Start: f.Start, End: f.End})
			if rule == "" || rule == generic {
				rule = f.Rule
			}
		}
	}
	if rule == "" {
		return findings.Match{}, false
	}
	m.Kind, m.Reason = findings.Secret, Reason(rule)
	return m, true
}

// scan is the state of All.
type scan struct {
	reader
	hits []hit
}

// reader reads parts of a normalised text. It finds nothing by itself.
type reader struct {
	normtext.Text
	matches map[*normtext.Pattern][][]int // of near, in Lower
	last    struct{ at, start, end int }  // the last sentence; at is counted from 1
}

// hit is a found credential in the normalised text.
type hit struct {
	start, end int
	rule       string
}

// add records a credential. It does nothing for an empty range.
func (s *scan) add(start, end int, rule string) {
	if start < end {
		s.hits = append(s.hits, hit{start, end, rule})
	}
}

// findings joins overlapping hits and returns them as ranges of the source. The rule of joined hits
// is that of the first specific one.
func (s *scan) findings(source string) []Finding {
	if len(s.hits) == 0 {
		return nil
	}
	slices.SortStableFunc(s.hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	var joined []hit
	for _, h := range s.hits {
		last := len(joined) - 1
		if last < 0 || h.start >= joined[last].end {
			joined = append(joined, h)
			continue
		}
		joined[last].end = max(joined[last].end, h.end)
		if isVague(joined[last].rule) && !isVague(h.rule) {
			joined[last].rule = h.rule
		}
	}
	all := make([]Finding, 0, len(joined))
	line, counted := 1, 0
	for _, h := range joined {
		from, to := s.Source(h.start, h.end)
		line += strings.Count(source[counted:from], "\n")
		counted = from
		all = append(all, Finding{h.rule, line, from, to})
	}
	return all
}

// isVague reports whether a rule names no kind of credential in particular.
func isVague(rule string) bool { return rule == generic || rule == rulePassword || rule == ruleHeader }

// near reports whether the sentence around an offset contains a match of a pattern. It finds the
// matches in the whole text once, so that a text of many labels takes linear time.
func (s *reader) near(pattern *normtext.Pattern, at int) bool {
	all, known := s.matches[pattern]
	if !known {
		all = pattern.FindAllStringIndex(s.Lower, -1)
		s.matches[pattern] = all
	}
	from := func(start int) int {
		i, _ := slices.BinarySearchFunc(all, start, func(match []int, start int) int { return match[0] - start })
		return i
	}
	if i := from(at - maxSentence); i == len(all) || all[i][1] > at+maxSentence {
		return false
	}
	start, end := s.sentence(at)
	i := from(start)
	return i < len(all) && all[i][1] <= end
}

// maxSentence limits how far a sentence extends to each side, in bytes. It is arbitrary.
const maxSentence = 240

// sentence returns the range of the sentence around an offset, within its line. A line that ends
// with a colon belongs to the next.
func (s *reader) sentence(at int) (start, end int) {
	if s.last.at == at+1 {
		return s.last.start, s.last.end
	}
	defer func() { s.last.at, s.last.start, s.last.end = at+1, start, end }()
	start, end = at, at
	for start > 0 && at-start < maxSentence && !s.sentenceEnd(start-1) {
		start--
	}
	for end < len(s.Lower) && end-at < maxSentence && !s.sentenceEnd(end) {
		end++
	}
	return start, end
}

// sentenceEnd reports whether the byte at an offset ends a sentence.
func (s *reader) sentenceEnd(at int) bool {
	switch s.Lower[at] {
	case '\n':
		before := strings.TrimRight(s.Lower[max(0, at-8):at], " \t\r")
		return !strings.HasSuffix(before, ":")
	case '.', '!', '?':
		if at+1 < len(s.Lower) && s.Lower[at+1] == ' ' {
			// "e.g. " is no end.
			return at < 2 || s.Lower[at-2] != '.' && s.Lower[at-2] != ' '
		}
	}
	return strings.HasPrefix(s.Lower[at:], "。")
}
