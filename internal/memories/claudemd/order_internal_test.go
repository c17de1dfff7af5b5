package claudemd

import (
	"testing"

	"memoir/internal/memories"
)

func TestType_Order(t *testing.T) {
	t.Parallel()
	for i, of := range memories.Types() {
		if of.Order() != i {
			t.Errorf("%s is in place %d, not %d", of, of.Order(), i)
		}
	}
	if memories.Type("note").Order() != -1 || memories.Type("").Order() != -1 {
		t.Error("what is no type has a place")
	}
}
