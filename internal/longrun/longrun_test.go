package longrun

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var anew = flag.Bool("write", false, "write docs/RELIABILITY.md anew, after a change of its template")

func TestPage_UpToDate(t *testing.T) {
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	want, err := page(root)
	if err != nil {
		t.Fatal(err)
	}
	if *anew {
		if err := os.WriteFile(pageIn(root), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(pageIn(root)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/RELIABILITY.md (%v) is not what its template makes of the results that are kept; after a change of the template: go test ./internal/longrun -write", err)
	}
}

func TestCount_Separators(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("%d is written as %s, not %s", n, got, want)
		}
	}
}
