package credentials

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// defaultRules are those of gitleaks; gitleaks/README.md says which.
//
//go:embed gitleaks/gitleaks.toml
var defaultRules []byte

// ruleSet is what a file of gitleaks says, as far as it is about a text without a path.
type ruleSet struct {
	Allowlist allowlist
	All       []rule `toml:"rules"`
	rules     []rule // those that a memory file can break
}

// rule is one kind of credential.
type rule struct {
	ID          string
	Regex       string
	Path        string
	SecretGroup int
	Entropy     float64 // in bits a character: a credential has more
	Keywords    []string
	Allowlists  []allowlist
	pattern     func() *regexp.Regexp
}

// allowlist is what a rule finds and what is no credential all the same.
type allowlist struct {
	Condition   string // AND: all of it has to hold
	RegexTarget string // match or line; else the credential
	Regexes     []string
	StopWords   []string
	Paths       []string
	pattern     func() *regexp.Regexp // nil: it has no Regexes
}

// rules reads the rules, once. That a file of our own cannot be read is a fault of the build, which the tests find.
var rules = sync.OnceValue(func() *ruleSet {
	var set ruleSet
	if err := toml.Unmarshal(defaultRules, &set); err != nil {
		panic("credentials: " + err.Error())
	}
	set.Allowlist.prepare()
	for _, r := range set.All {
		if r.Regex == "" || r.Path != "" { // about files of other kinds
			continue
		}
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

func (a *allowlist) prepare() {
	a.Paths = nil
	if len(a.Regexes) > 0 {
		a.pattern = lazily("(?:" + strings.Join(a.Regexes, ")|(?:") + ")")
	}
}

// mayApply says of a text in lower case whether the rule is worth a look.
func (r *rule) mayApply(lower string) bool {
	return len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, func(word string) bool { return strings.Contains(lower, word) })
}

func anyAllows(lists []allowlist, c candidate) bool {
	return slices.ContainsFunc(lists, func(a allowlist) bool { return a.allows(c) })
}

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

// lazily returns a regular expression that is compiled when it is first asked for. All of them together take 2.5 MB, and hardly any
// is: a rule whose keywords a text does not have is never compiled.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// entropy returns how many bits a character of the text holds, as Shannon has it.
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
