package reconcile

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

func TestConflictOf(t *testing.T) {
	t.Parallel()
	file := func(session, content string, minutes int) records.File {
		return records.File{
			Session: session, Status: records.Mirrored, Fingerprint: memories.Fingerprint{content[0]},
			ContentAt: time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute),
		}
	}
	blocked := file("", "b", 3)
	blocked.Status = records.Blocked
	for _, tt := range []struct {
		name  string
		files []records.File
		want  memories.Conflict
	}{
		{"no file", nil, memories.NoConflict},
		{"one primary file", []records.File{file("", "a", 1)}, memories.NoConflict},
		{"two equal primary files", []records.File{file("", "a", 1), file("", "a", 2)}, memories.NoConflict},
		{"two different primary files", []records.File{file("", "a", 1), file("", "b", 2)}, memories.PrimaryConflict},
		{"newer session file", []records.File{file("", "a", 1), file("s", "b", 2)}, memories.SessionConflict},
		{"older session file", []records.File{file("", "a", 2), file("s", "b", 1)}, memories.NoConflict},
		{"session file of equal age", []records.File{file("", "a", 1), file("s", "b", 1)}, memories.NoConflict},
		{"newer equal session file", []records.File{file("", "a", 1), file("s", "a", 2)}, memories.NoConflict},
		{"two sessions without a primary file", []records.File{file("s", "a", 1), file("t", "b", 2)}, memories.SessionConflict},
		{"primary before session", []records.File{file("", "a", 1), file("", "b", 2), file("s", "c", 3)}, memories.PrimaryConflict},
		{"blocked file does not count", []records.File{file("", "a", 1), blocked}, memories.NoConflict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]records.File{}
			for i, f := range tt.files {
				f.Path = string(rune('a' + i))
				files[f.Path] = f
			}
			if got := conflictOf(files); got != tt.want {
				t.Errorf("conflictOf() = %q, want %q", got, tt.want)
			}
		})
	}
}
