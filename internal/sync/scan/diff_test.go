package scan

import (
	"slices"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/reconcile"
)

func diffOf(rows ...records.File) scanDiff {
	d := scanDiff{known: map[string]*records.File{}}
	d.addRows(rows)
	return d
}

func TestScanDiff_DeferFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		rows []records.File
		want int
	}{
		{"new file counts", nil, 1},
		{"absent file counts", []records.File{{Path: "a.md"}}, 1},
		{"present file does not", []records.File{{Path: "a.md", Present: true}}, 0},
		{"row of another file", []records.File{{Path: "b.md", Present: true}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := diffOf(tt.rows...)
			d.deferFile("a.md")
			if d.deferred != tt.want {
				t.Errorf("deferred = %d, want %d", d.deferred, tt.want)
			}
		})
	}
}

func TestScanDiff_Unseen(t *testing.T) {
	t.Parallel()
	d := diffOf(
		records.File{Path: "listed.md", Present: true}, records.File{Path: "removed.md", Present: true},
		records.File{Path: "absent.md"}, records.File{Path: "unseen.md", Present: true},
	)
	listing := agents.Listing{Files: []agents.Entry{{Path: "listed.md"}}}
	got := d.unseen(listing, []records.File{{Path: "removed.md"}})
	if want := []string{"unseen.md"}; !slices.Equal(got, want) {
		t.Errorf("unseen() = %q, want %q", got, want)
	}
}

func TestSignature_RecentChange(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		age   time.Duration
		isSet bool
	}{
		{"changed long ago", time.Hour, true},
		{"just old enough", agents.TimestampSlack, true},
		{"too recent", agents.TimestampSlack - 1, false},
		{"in the future", -time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entry := &agents.Entry{Path: "a.md", Size: 1, ChangeTime: at.Add(-tt.age).UnixNano()}
			want := int64(0)
			if tt.isSet {
				want = entry.Signature()
			}
			if got := signature(entry, at); got != want {
				t.Errorf("signature() = %d, want %d", got, want)
			}
		})
	}
}

func TestIsExtension(t *testing.T) {
	t.Parallel()
	row := func(text string, present bool) *records.File {
		return &records.File{Present: present, Size: int64(len(text)), Hash: files.Hash([]byte(text))}
	}
	for _, tt := range []struct {
		name  string
		known *records.File
		raw   string
		want  bool
	}{
		{"new file", nil, "ab", false},
		{"grown at its end", row("a", true), "ab", true},
		{"same bytes", row("ab", true), "ab", true},
		{"other beginning", row("b", true), "ab", false},
		{"shorter than before", row("abc", true), "ab", false},
		{"was absent", row("a", false), "ab", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := isExtension(reconcile.ScannedFile{Known: tt.known, Raw: []byte(tt.raw)}); got != tt.want {
				t.Errorf("isExtension() = %t, want %t", got, tt.want)
			}
		})
	}
}
