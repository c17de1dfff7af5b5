package extraction

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/transcript"
)

// candidate is a memory as a model proposes it. Nothing of it is believed.
type candidate struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Text        string `json:"text"`
	Why         string `json:"why"`
	HowToApply  string `json:"how_to_apply"`
	Quote       string `json:"quote"`
}

// What a memory that a model words may be long, in Unicode characters. It is a note: what is longer was copied.
const (
	mostName        = 80
	mostDescription = 200
	mostBody        = 4000
	mostQuote       = 600
	leastQuote      = 8
)

// found is a candidate that can be shown to somebody.
type found struct {
	memories.Content
	quote string
	at    time.Time // of the message that it quotes; zero: unknown
}

// checked returns the memory of a candidate. why says in a few words why it is none; empty: it is one.
func (c candidate) checked(said []transcript.Message) (f found, why string) {
	t, known := memories.ParseType(c.Type)
	f.Content = memories.Content{Name: strings.TrimSpace(c.Name), Type: t, Description: strings.TrimSpace(c.Description), Body: c.body()}
	if !known {
		return f, "its type is unknown"
	}
	if err := f.Check(); err != nil {
		return f, "it would not read back: " + err.Error()
	}
	f.Content = f.Canonical()
	switch {
	case strings.TrimSpace(c.Text) == "" || f.Description == "":
		return f, "it says nothing"
	case (t == memories.Feedback || t == memories.Project) && (strings.TrimSpace(c.Why) == "" || strings.TrimSpace(c.HowToApply) == ""):
		return f, "it has no why, or no how to apply"
	case utf8.RuneCountInString(f.Name) > mostName || utf8.RuneCountInString(f.Description) > mostDescription || utf8.RuneCountInString(f.Body) > mostBody:
		return f, "it is too long"
	case strings.ContainsAny(f.Description, "\n\r\u2028\u2029"):
		return f, "its description has several lines"
	case hidden(f.Name) || hidden(f.Description) || hidden(f.Body):
		return f, "it has characters that nobody sees"
	case fakesFrontmatter(f.Body) || strings.Contains(strings.ToLower(f.Name+f.Description+f.Body), "<!--"):
		return f, "it has the marks of a file's head, or a comment"
	case len(memories.Slug(f.Name)) == 0:
		return f, "its name is none"
	}
	data := frontmatter.Encode(f.Content)
	if read := frontmatter.Parse(data, ""); read.Content() != f.Content || len(read.Problems) > 0 {
		return f, "it would not read back as it is"
	}
	f.quote, f.at, why = quoted(c.Quote, said)
	return f, why
}

// body puts the parts together as agents write them.
func (c candidate) body() string {
	body := strings.TrimSpace(c.Text)
	if why := strings.TrimSpace(c.Why); why != "" {
		body += "\n\n**Why:** " + why
	}
	if how := strings.TrimSpace(c.HowToApply); how != "" {
		body += "\n\n**How to apply:** " + how
	}
	return body
}

// hidden reports whether a text has characters that are not shown, or turn the direction of others: what somebody accepts has to be
// what they see. The joiners of emoji and of scripts that need them are shown, by what they join.
func hidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d' || r == '\ufe0f':
			return false
		default:
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
		}
	})
}

// fakesFrontmatter reports whether a body begins like a file of its own.
func fakesFrontmatter(body string) bool {
	first, _, _ := strings.Cut(body, "\n")
	return strings.TrimSpace(first) == "---"
}

// quoted finds a quote in what was said, by a person rather than by the agent. It is shown as it was said.
func quoted(quote string, said []transcript.Message) (shown string, at time.Time, why string) {
	wanted := strings.Join(strings.Fields(quote), " ")
	if n := utf8.RuneCountInString(wanted); n < leastQuote || n > mostQuote {
		return "", at, "its quote is too short or too long"
	}
	for _, role := range []string{"user", "assistant"} {
		for _, m := range said {
			if m.Role == role && strings.Contains(strings.Join(strings.Fields(m.Text), " "), wanted) {
				return wanted, m.At, ""
			}
		}
	}
	return "", at, "nobody said what it quotes"
}
