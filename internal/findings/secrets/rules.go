package secrets

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// defaultRules are gitleaks' rules. gitleaks/README.md has their version.
//
//go:embed gitleaks/gitleaks.toml
var defaultRules []byte

// ruleSet is a parsed rule file, as far as it applies to texts without a path.
type ruleSet struct {
	Allowlist allowlist
	All       []rule `toml:"rules"`
	rules     []rule // rules that apply to memory files
}

// rule describes one kind of credential.
type rule struct {
	ID          string
	Regex       string
	Path        string
	SecretGroup int
	Entropy     float64 // minimum bits per character of a credential, or 0
	Keywords    []string
	Allowlists  []allowlist
	pattern     func() *regexp.Regexp
	vague       bool // finds any value of a form behind the name of a vendor
}

// allowlist excludes matches of a rule.
type allowlist struct {
	Condition   string // AND: all conditions must match; otherwise one is enough
	RegexTarget string // match or line; otherwise the credential
	Regexes     []string
	StopWords   []string
	Paths       []string
	pattern     func() *regexp.Regexp // nil without Regexes
}

// covered are rules for which this package has its own, which find more forms.
var covered = map[string]bool{generic: true, "private-key": true, "jwt": true, "curl-auth-header": true, "curl-auth-user": true, "slack-webhook-url": true, "microsoft-teams-webhook": true}

// rules returns the parsed rules. It panics on invalid ones, which are a build error that the tests
// find.
var rules = sync.OnceValue(func() *ruleSet {
	var set ruleSet
	if err := toml.Unmarshal(defaultRules, &set); err != nil {
		panic("secrets: " + err.Error())
	}
	set.Allowlist.prepare()
	for _, r := range set.All {
		if r.Regex == "" || r.Path != "" || covered[r.ID] || strings.HasSuffix(r.ID, "client-id") { // for other kinds of files, or public
			continue
		}
		r.vague = strings.Contains(r.Regex, `[\w.-]{0,50}?(?:`)
		r.pattern = lazily(r.Regex)
		for i := range r.Keywords {
			r.Keywords[i] = strings.ToLower(r.Keywords[i])
		}
		r.Allowlists = slices.DeleteFunc(r.Allowlists, func(a allowlist) bool { return a.Condition == "AND" && len(a.Paths) > 0 })
		for i := range r.Allowlists {
			r.Allowlists[i].prepare()
		}
		set.rules = append(set.rules, r)
	}
	set.All = nil
	return &set
})

// prepare joins the list's regular expressions into a.pattern, which matches if one of them does,
// and clears its paths. Without regular expressions a.pattern stays nil.
func (a *allowlist) prepare() {
	a.Paths = nil
	if len(a.Regexes) > 0 {
		a.pattern = lazily("(?:" + strings.Join(a.Regexes, ")|(?:") + ")")
	}
}

// mayApply reports whether a text in lower case has one of the rule's keywords. It is true for a
// rule without keywords.
func (r *rule) mayApply(lower string) bool {
	return len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, func(word string) bool { return strings.Contains(lower, word) })
}

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

func anyAllows(lists []allowlist, c candidate) bool {
	return slices.ContainsFunc(lists, func(a allowlist) bool { return a.allows(c) })
}

// allows reports whether the list excludes a match from the findings. Its conditions are the
// regular expressions and the stop words. One must match, or all if Condition is AND. Without
// conditions it is false.
func (a *allowlist) allows(c candidate) bool {
	var checks []bool
	if a.pattern != nil {
		target := c.secret
		switch a.RegexTarget {
		case "match":
			target = c.match
		case "line":
			target = c.line
		}
		checks = append(checks, a.pattern().MatchString(target))
	}
	if len(a.StopWords) > 0 {
		lower := strings.ToLower(c.secret)
		checks = append(checks, slices.ContainsFunc(a.StopWords, func(word string) bool { return strings.Contains(lower, strings.ToLower(word)) }))
	}
	if a.Condition == "AND" {
		return len(checks) > 0 && !slices.Contains(checks, false)
	}
	return slices.Contains(checks, true)
}

// lazily returns a function that compiles a regular expression at its first call, and panics if it
// is invalid. All of them take 2.5 MB, and few are used: most rules' keywords occur in no text.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// entropy returns the Shannon entropy of a text, in bits per character. It is exact for ASCII
// texts only, and 0 for an empty text.
func entropy(text string) (bits float64) {
	counts := map[rune]int{}
	for _, char := range text {
		counts[char]++
	}
	for _, count := range counts {
		share := float64(count) / float64(len(text))
		bits -= share * math.Log2(share)
	}
	return bits
}
