package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/sync/agenttx"
)

func TestChangedCosts(t *testing.T) {
	t.Parallel()
	recorded := claudemd.Cost{ID: "a", Chars: 10}
	for _, tt := range []struct {
		name   string
		cost   claudemd.Cost
		shared string
		want   bool
	}{
		{"same cost", recorded, "", false},
		{"other length", claudemd.Cost{ID: "a", Chars: 11}, "", true},
		{"now an entry", claudemd.Cost{ID: "a", Chars: 10, Listed: true}, "", true},
		{"shared memory", claudemd.Cost{ID: "a", Chars: 11}, "team", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same := claudemd.Cost{ID: "b", Chars: 5}
			got := changedCosts([]claudemd.Cost{same, tt.cost}, []claudemd.Summary{{Recorded: same}, {Recorded: recorded, Shared: tt.shared}})
			var want []claudemd.Cost
			if tt.want {
				want = []claudemd.Cost{tt.cost}
			}
			if !slices.Equal(got, want) {
				t.Errorf("changedCosts() = %v, want %v", got, want)
			}
		})
	}
}

func TestClaudeMDProblem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want string // a part of the text
	}{
		{"damaged markers", claudemd.ErrDamagedMarkers, "damaged memoir:begin"},
		{"unclosed code", claudemd.ErrUnclosedCode, "unclosed code block"},
		{"other owner", &files.OwnershipError{}, "another user could misuse it"},
		{"link out of directory", files.ErrLeaves, "link out of the agent's directory"},
		{"link to a memory", errLinkToMemory, "link to a memory file"},
		{"too large", agenttx.ErrTooLarge, "larger than 4 MiB"},
		{"not a file", files.ErrNotRegular, "not a regular file"},
		{"no permission", &fs.PathError{Op: "open", Path: "CLAUDE.md", Err: fs.ErrPermission}, "permission denied"},
		{"other error", errors.New("disk failed"), "cannot be written: write: disk failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := claudeMDProblem("sub/AGENTS.md", fmt.Errorf("write: %w", tt.err))
			if !strings.Contains(got, tt.want) {
				t.Errorf("claudeMDProblem() = %q, want %q in it", got, tt.want)
			}
			if !strings.HasPrefix(got, "sub/AGENTS.md ") || strings.Contains(got, "CLAUDE.md") {
				t.Errorf("claudeMDProblem() = %q, want the path of the file in place of CLAUDE.md", got)
			}
		})
	}
}

func TestUnpublishedText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		slugs []string
		want  string
	}{
		{"no agent", nil, ""},
		{"one agent", []string{"a"}, "CLAUDE.md of a not updated. Context shows why."},
		{"all are named", strings.Fields("a b c d e"), "CLAUDE.md of a, b, c, d, e not updated. Context shows why."},
		{"some are named", strings.Fields("a b c d e f"), "CLAUDE.md of 6 other agents not updated, among them a, b, c, d, e. Context shows why."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := unpublishedText(tt.slugs); got != tt.want {
				t.Errorf("unpublishedText() = %q, want %q", got, tt.want)
			}
		})
	}
}
