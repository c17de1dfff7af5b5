// Package credentials says whether a text holds what looks like a password, a key or a token. What does is told by the rules of
// gitleaks (https://github.com/gitleaks/gitleaks), whose file is embedded as it is; its library is not used, because it brings
// sixty modules along to read repositories and archives, which nobody needs to look at one text. Nothing in this package keeps, logs
// or returns the credential itself.
package credentials

import (
	"regexp"
	"strings"
)

// Finding is a credential that a text seems to hold.
type Finding struct {
	Rule string // gitleaks' id of the rule, such as github-pat
	Line int    // on which it begins, counted from 1
}

// generic is the rule that says least: one of the others says what kind of credential it is.
const generic = "generic-api-key"

// Find returns what looks like a credential in a text, the first one. It is safe for concurrent use. The rules are read at the first
// call.
func Find(text string) (first Finding, found bool) {
	set := rules()
	lower := strings.ToLower(text)
	for i := range set.rules {
		r := &set.rules[i]
		if !r.mayApply(lower) {
			continue
		}
		if at := set.findBy(r, text); at >= 0 {
			line := 1 + strings.Count(text[:at], "\n")
			if !found || line < first.Line || line == first.Line && first.Rule == generic {
				first, found = Finding{r.ID, line}, true
			}
		}
	}
	return first, found
}

// findBy returns where the first credential by a rule begins; negative: there is none.
func (set *ruleSet) findBy(r *rule, text string) int {
	pattern := r.pattern()
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		match := strings.Trim(text[at[0]:at[1]], "\n")
		secret := r.secretIn(pattern, match)
		if r.Entropy != 0 && entropy(secret) <= r.Entropy {
			continue
		}
		c := candidate{secret, match, lineAround(text, at[0], at[0]+len(match))}
		if !set.Allowlist.allows(c) && !anyAllows(r.Allowlists, c) {
			// What a rule takes along before the credential may begin on the line above.
			return at[0] + max(0, strings.Index(text[at[0]:at[1]], secret))
		}
	}
	return -1
}

// candidate is what a rule has found, unless an allowlist has it.
type candidate struct{ secret, match, line string }

// secretIn returns the part of a match that is the credential: the group that the rule names, else the first that is not empty.
func (r *rule) secretIn(pattern *regexp.Regexp, match string) string {
	groups := pattern.FindStringSubmatch(match)
	if r.SecretGroup > 0 && r.SecretGroup < len(groups) {
		return groups[r.SecretGroup]
	}
	for i := 1; i < len(groups); i++ {
		if groups[i] != "" {
			return groups[i]
		}
	}
	return match
}

// lineAround returns the lines that a part of a text is on.
func lineAround(text string, from, to int) string {
	begin := strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[begin : to+end]
	}
	return text[begin:]
}
