package frontmatter_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

func TestFormat_Parse(t *testing.T) {
	t.Parallel()
	const text = "# Order of the deploys\n\n1. schema\n2. server\n"
	tests := []struct {
		name   string
		format frontmatter.Format
		raw    string
		want   memories.Content
		plain  bool
		flaws  int
	}{
		{"heading is the description", frontmatter.Plain, text, memories.Content{Name: "release", Type: memories.Project, Description: "Order of the deploys", Body: "1. schema\n2. server"}, true, 0},
		{"whole text is the body", frontmatter.FlatOrPlain, text, memories.Content{Name: "release", Type: memories.Project, Body: "# Order of the deploys\n\n1. schema\n2. server"}, true, 0},
		{"frontmatter is missed", frontmatter.Flat, text, memories.Content{Name: "release", Body: "# Order of the deploys\n\n1. schema\n2. server"}, false, 1},
		{"second level stays", frontmatter.Plain, "## Two\n\ntext", memories.Content{Name: "release", Type: memories.Project, Body: "## Two\n\ntext"}, true, 0},
		{"frontmatter counts", frontmatter.Plain, "---\nname: a\ntype: user\n---\n\nb\n", memories.Content{Name: "a", Type: memories.User, Body: "b"}, false, 0},
		{"unclosed frontmatter", frontmatter.Plain, "---\nname: a\n", memories.Content{Name: "release", Body: "---\nname: a"}, false, 1},
		{"empty file", frontmatter.Plain, "", memories.Content{Name: "release"}, false, 1},
		{"block without name", frontmatter.Block, "---\ndescription: who you are\n---\n\nI am kind.\n", memories.Content{Name: "release", Type: memories.Project, Description: "who you are", Body: "I am kind."}, false, 0},
		{"block without frontmatter", frontmatter.Block, "I am kind.\n", memories.Content{Name: "release", Type: memories.Project, Body: "I am kind."}, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.format.Parse([]byte(tt.raw), "release")
			if got := f.Content(); got != tt.want || f.Plain != tt.plain || len(codesOf(f.Problems)) != tt.flaws {
				t.Errorf("Parse = %+v, plain %v, problems %v; want %+v, plain %v, %d problems", got, f.Plain, f.Problems, tt.want, tt.plain, tt.flaws)
			}
		})
	}
}

func TestFormat_EncodePlain(t *testing.T) {
	t.Parallel()
	content := func(name, description, body string) memories.Content {
		return memories.Content{Name: name, Type: memories.Feedback, Description: description, Body: body}
	}
	tests := []struct {
		name, base string
		content    memories.Content
		want       string
	}{
		{"new file", "", content("release", "Order", "1. schema"), "# Order\n\n1. schema\n"},
		{"only a body", "", content("release", "", "1. schema"), "1. schema\n"},
		{"only a description", "", content("release", "Order", ""), "# Order\n"},
		{"no text", "", content("release", "", ""), "# release\n"},
		{"same content", "#  Order  \n1. schema\n\n", content("release", "Order", "1. schema"), "#  Order  \n1. schema\n\n"},
		{"line ends stay", "\ufeff# Order\r\n\r\n1. schema\r\n", content("release", "Order", "2. server"), "\ufeff# Order\r\n\r\n2. server\r\n"},
		{"name of another path", "", content("other", "", "text"), "---\nname: other\ntype: feedback\n---\n\ntext\n"},
		{"text like a frontmatter", "", content("release", "", "---\nname: x\n---\ntext"), "---\nname: release\ntype: feedback\n---\n\n---\nname: x\n---\ntext\n"},
		{"frontmatter stays", "---\nname: release\ntype: user\nx: 1\n---\n\na\n", content("release", "", "b"), "---\nname: release\ntype: feedback\nx: 1\n---\n\nb\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var base []byte
			if tt.base != "" {
				base = []byte(tt.base)
			}
			if got := string(frontmatter.Plain.Encode(base, "release", tt.content, time.Now())); got != tt.want {
				t.Errorf("Encode = %q, want %q", got, tt.want)
			}
		})
	}
}
