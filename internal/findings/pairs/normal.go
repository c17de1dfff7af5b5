package pairs

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/findings"
)

// textHash returns the hash of the description and body without differences in white space, and
// without a title at its start. It is 0 if the body has less than minBody bytes.
func textHash(t findings.Text) uint64 {
	rest := strings.TrimSpace(t.Body)
	if strings.HasPrefix(rest, "# ") { // the title, which can be the name
		_, rest, _ = strings.Cut(rest, "\n")
	}
	body := strings.Join(strings.Fields(rest), " ")
	if len(body) < minBody {
		return 0
	}
	return max(1, hashOf(strings.Join(strings.Fields(t.Description), " ")+"\n"+body))
}

// maxText limits the bytes of a description or body that are read, so that a file that is no memory
// but a log does not take long (arbitrary). Copies are found by the whole text.
const maxText = 32 << 10

// shortened returns a text with the first maxText bytes of its fields.
func shortened(t findings.Text) findings.Text {
	t.Name, t.Description, t.Body = cut(t.Name), cut(t.Description), cut(t.Body)
	return t
}

func cut(content string) string {
	if len(content) <= maxText {
		return content
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(content[end]) {
		end--
	}
	return content[:end]
}
