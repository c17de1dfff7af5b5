package wording_test

import (
	"testing"
	"time"

	"memoir/web/templates/wording"
)

func TestWording_Forms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{wording.Number(12345), "12,345"},
		{wording.Number(-12345), "-12,345"},
		{wording.Fixed(12345.678, 2), "12,345.68"},
		{wording.Fixed(0, 1), "0.0"},
		{wording.Signed(1200), "+1,200"},
		{wording.Signed(-3), "−3"},
		{wording.Signed(0), "0"},
		{wording.Count(1, "memory", "memories"), "1 memory"},
		{wording.Count(0, "memory", "memories"), "0 memories"},
		{wording.Plural(1, "is", "are"), "is"},
		{wording.Capital("élan"), "Élan"},
		{wording.FileSize(1), "1 byte"},
		{wording.FileSize(1536), "1.5 KiB"},
		{wording.FileSize(3 << 20), "3.0 MiB"},
		{wording.Moment(time.Time{}), "–"},
		{wording.Duration(119), "119 min"},
		{wording.Duration(150), "3 h"},
		{wording.TypeName(""), "No type"},
		{wording.Visible("a\u202eb\tc\u200b"), "a[U+202E]b\tc[U+200B]"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
