package pairs

import (
	"strings"

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
