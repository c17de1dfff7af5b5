package secrets

import (
	"regexp"
	"strings"
)

// findByRules finds credentials with the rules of gitleaks. It examines only lines with a long
// token and the lines next to them, since most texts have none and the rules are slow.
func (s *scan) findByRules() {
	text := s.Plain
	for from := 0; from < len(text); {
		start, end := s.window(from)
		if start < 0 {
			return
		}
		s.findInWindow(start, end)
		from = end
	}
}

// minToken is the length of the shortest token that a rule of gitleaks can find, apart from vague
// ones. No rule of them that is used has a shorter one.
const minToken = 15

// window returns the next lines from an offset that have long tokens, with one line before and one
// after. start is -1 without such a line.
func (s *reader) window(from int) (start, end int) {
	text := s.Plain
	start = -1
	for at := from; at < len(text); {
		lineEnd := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			lineEnd = at + n + 1
		}
		has := hasToken(text[at:lineEnd])
		switch {
		case has && start < 0:
			start = from
			if at > from {
				start = max(from, strings.LastIndexByte(text[:at-1], '\n')+1)
			}
		case !has && start >= 0:
			return start, lineEnd
		}
		at = lineEnd
	}
	return start, len(text)
}

// hasToken reports whether a line has a run of letters and digits that a machine can have made.
func hasToken(line string) bool {
	start, changes := 0, 0
	for i := 0; i <= len(line); i++ {
		if i < len(line) && dotted.has(line[i]) {
			if i > start {
				if a, b := class(line[i-1]), class(line[i]); a != b && a != '!' && b != '!' && !(a == 'A' && b == 'a') {
					changes++
				}
			}
			continue
		}
		if i-start >= minToken && changes >= 3 {
			return true
		}
		start, changes = i+1, 0
	}
	return false
}

// ownerWords show that a value is a credential, if only the name of a vendor is near it.
var ownerWords = []string{"key", "token", "secret", "pass", "auth", "cred", "api", "schlüssel", "clave", "clé", "chave", "ключ", "токен", "密钥", "令牌"}

func (s *scan) findInWindow(start, end int) {
	set := rules()
	text, lower := s.Plain[start:end], s.Lower[start:end]
	for i := range set.rules {
		r := &set.rules[i]
		if !r.mayApply(lower) {
			continue
		}
		pattern := r.pattern()
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			if from, to, ok := set.credentialIn(r, pattern, text, at[0], at[1]); ok && !s.near(strongExample, start+from) && !isPlaceholder(text[from:to]) {
				s.add(start+from, start+to, r.ID)
			}
		}
	}
}

// credentialIn returns the range of the credential in a match of r, if it is random enough for r
// and in no allowlist. The credential can start on a line after the start of the match.
func (set *ruleSet) credentialIn(r *rule, pattern *regexp.Regexp, text string, start, end int) (from, to int, ok bool) {
	match := strings.Trim(text[start:end], "\n")
	secret := r.secretIn(pattern, match)
	if r.Entropy != 0 && entropy(secret) <= r.Entropy {
		return 0, 0, false
	}
	c := candidate{secret, match, lineAround(text, start, start+len(match))}
	if set.Allowlist.allows(c) || anyAllows(r.Allowlists, c) {
		return 0, 0, false
	}
	if r.vague && (!isRandom(secret) || !containsAny(strings.ToLower(c.line), ownerWords)) {
		return 0, 0, false
	}
	from = start + max(0, strings.Index(text[start:end], secret))
	return from, from + len(secret), true
}

// candidate is a match of a rule that an allowlist may exclude.
type candidate struct{ secret, match, line string }

// lineAround returns the complete lines of a text that the range [from, to] touches, without the
// last line end.
func lineAround(text string, from, to int) string {
	begin := strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[begin : to+end]
	}
	return text[begin:]
}
