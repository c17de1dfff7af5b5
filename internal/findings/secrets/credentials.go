// Package secrets finds passwords, keys and tokens in a text, with the rules of gitleaks
// (https://github.com/gitleaks/gitleaks), whose rule file is embedded. Its library would add sixty
// modules for repositories and archives. This package never stores, logs or returns a credential.
// internal/sync checks team memories with it.
package secrets

import (
	"regexp"
	"strings"
)

// Finding is a possible credential in a text.
type Finding struct {
	Rule string // gitleaks' id of the rule, such as github-pat
	Line int    // first line of the match, counted from 1
}

// generic is the least specific rule. On the same line, other rules take precedence.
const generic = "generic-api-key"

// Find returns the rule and the line of the first possible credential in a text, but never the
// credential. found is false if there is no credential. On the same line, a specific rule takes
// precedence over the generic one. It is safe for concurrent use. The first call parses the rules.
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

// findBy finds the first match of r whose credential is random enough for r and in no allowlist. It
// returns the offset of the credential, not of the match, which can start on the line above. It
// returns -1 without such a match.
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
			// The match may start on the line above the credential.
			return at[0] + max(0, strings.Index(text[at[0]:at[1]], secret))
		}
	}
	return -1
}

// candidate is a match of a rule that an allowlist may exclude.
type candidate struct{ secret, match, line string }

// secretIn returns the credential in a match of a rule. It is the group with the number
// SecretGroup, if that is set. Otherwise it is the first group that is not empty, or the whole
// match if there is no such group.
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

// lineAround returns the complete lines of a text that the range [from, to] touches, without the
// last line end.
func lineAround(text string, from, to int) string {
	begin := strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[begin : to+end]
	}
	return text[begin:]
}
