package pairs

import (
	"strings"

	"memoir/internal/findings"
)

// textHash returns the hash of the description and body without differences in white space. It is 0
// if the body has less than minBody bytes.
func textHash(t findings.Text) uint64 {
	body := strings.Join(strings.Fields(t.Body), " ")
	if len(body) < minBody {
		return 0
	}
	return max(1, hashOf(strings.Join(strings.Fields(t.Description), " ")+"\n"+body))
}
