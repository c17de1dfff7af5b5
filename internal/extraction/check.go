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

// candidate is a memory proposed by a model. It must be checked.
type candidate struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Text        string `json:"text"`
	Why         string `json:"why"`
	HowToApply  string `json:"how_to_apply"`
	Quote       string `json:"quote"`
}

// The limits of a proposed memory, in Unicode characters (arbitrary). A memory is a note; a longer
// text was probably copied.
const (
	maxName        = 80
	maxDescription = 200
	maxBody        = 4000
	maxQuote       = 600
	minQuote       = 8
)

// finding is a candidate that passed the checks.
type finding struct {
	memories.Content
	quote string
	at    time.Time // time of the quoted message; zero if unknown
}

// check returns the candidate as a memory with its quote. reason is "" if the memory can be
// proposed. It then is complete, within the limits, without hidden characters, readable from a
// file, and quotes one of messages. Otherwise reason is a few words for users, and f is not
// complete.
func (c candidate) check(messages []transcript.Message) (f finding, reason string) {
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
	case utf8.RuneCountInString(f.Name) > maxName || utf8.RuneCountInString(f.Description) > maxDescription || utf8.RuneCountInString(f.Body) > maxBody:
		return f, "it is too long"
	case strings.ContainsAny(f.Description, "\n\r\u2028\u2029"):
		return f, "its description has several lines"
	case hasHidden(f.Name) || hasHidden(f.Description) || hasHidden(f.Body):
		return f, "it has invisible characters"
	case startsFrontmatter(f.Body) || strings.Contains(strings.ToLower(f.Name+f.Description+f.Body), "<!--"):
		return f, "it has the marks of a file's head, or a comment"
	case len(memories.Slug(f.Name)) == 0:
		return f, "its name is invalid"
	}
	data := frontmatter.Encode(f.Content)
	if read := frontmatter.Parse(data, ""); read.Content() != f.Content || len(read.Problems) > 0 {
		return f, "it would change when read back"
	}
	f.quote, f.at, reason = findQuote(c.Quote, messages)
	return f, reason
}

// body returns the candidate's text, followed by its reason and its application under the labels
// **Why:** and **How to apply:**. Empty parts are left out.
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

// hasHidden reports whether a text has control characters, private characters, or characters that
// are invisible or change the direction of text. Line feeds, tabs, and joiners of emoji and scripts
// are allowed.
func hasHidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("\n\t\u200c\u200d\ufe0f", r) && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r))
	})
}

// startsFrontmatter reports whether the first line of a body is "---", as in frontmatter.
func startsFrontmatter(body string) bool {
	first, _, _ := strings.Cut(body, "\n")
	return strings.TrimSpace(first) == "---"
}

// findQuote returns the quote with single spaces, and the time of the message that contains it.
// White space may differ. That is the first such message of the user, else of the assistant. If
// the quote is too short or too long, or no message contains it, it returns only the reason. The
// reason is "" if it was found.
func findQuote(quote string, messages []transcript.Message) (shown string, at time.Time, reason string) {
	normal := strings.Join(strings.Fields(quote), " ")
	if n := utf8.RuneCountInString(normal); n < minQuote || n > maxQuote {
		return "", at, "its quote is too short or too long"
	}
	for _, role := range []string{"user", "assistant"} {
		for _, m := range messages {
			if m.Role == role && strings.Contains(strings.Join(strings.Fields(m.Text), " "), normal) {
				return normal, m.At, ""
			}
		}
	}
	return "", at, "its quote is not in the conversation"
}
