// Package quarantine decides which texts agents must not receive until a person lets them in: those
// with a secret, and those that give orders to the agent.
package quarantine

import (
	"strings"

	"memoir/internal/findings"
	"memoir/internal/findings/injections"
	"memoir/internal/findings/secrets"
)

// Version identifies the rules. A server that has other rules than the last scan examines all
// memories again. Raise it with each change of the rules.
const Version = 1

// Examine returns what is wrong with a text: at most one match of each kind, secrets first. It takes
// about 0.1 ms for 1 KB.
func Examine(t findings.Text) []findings.Match {
	var found []findings.Match
	if m, ok := secrets.Match(t); ok {
		found = append(found, m)
	}
	if m, ok := injections.Match(t); ok {
		found = append(found, m)
	}
	return found
}

// IsClean reports whether a short text has no secret and no order to the agent, and is not masked.
func IsClean(text string) bool {
	return !strings.Contains(text, secrets.Bullets) && len(Examine(findings.Text{Body: text})) == 0
}

// MaskSecrets returns a text with bullets in place of each secret. It is for texts that nobody has
// decided about, such as logs and questions to a model.
func MaskSecrets(text string) string { return secrets.Mask(text) }

// Mask returns a text of a memory in quarantine with bullets in place of each secret and of each
// order to the agent.
func Mask(text string) string {
	text = secrets.Mask(text)
	all := injections.Find(text)
	if len(all) == 0 {
		return text
	}
	var b strings.Builder
	end := 0
	for _, f := range all {
		if f.Start < end {
			continue
		}
		b.WriteString(text[end:f.Start])
		b.WriteString(secrets.Bullets)
		end = f.End
	}
	b.WriteString(text[end:])
	return b.String()
}
