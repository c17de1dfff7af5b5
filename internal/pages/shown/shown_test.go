package shown_test

import (
	"testing"

	"memoir/internal/pages/shown"
)

func TestPrintable_Bytes(t *testing.T) {
	t.Parallel()
	if got := shown.Printable([]byte("caf\xe9\x00 é")); got != "caf‹E9›‹00› é" {
		t.Errorf("Printable = %q", got)
	}
}
