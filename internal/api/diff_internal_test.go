package api

import "testing"

func TestCommonEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string
		start, end          int
	}{
		{"equal", "a\nb\n", "a\nb\n", 4, 0},
		{"one line added", "x\nb\n", "x\ny\nb\n", 2, 2},
		{"line added at the start", "b\n", "y\nb\n", 0, 2},
		{"line added at the end", "b\n", "b\ny\n", 2, 0},
		{"line changed", "a\nbc\nd\n", "a\nxc\nd\n", 2, 2},
		{"nothing in common", "a", "b", 0, 0},
		{"last line without an end", "a\nb", "c\nb", 0, 1},
		{"empty", "", "b\n", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if start, end := commonEnds(tt.before, tt.after); start != tt.start || end != tt.end {
				t.Errorf("commonEnds(%q, %q) = %d, %d, want %d, %d", tt.before, tt.after, start, end, tt.start, tt.end)
			}
		})
	}
}
