package mcp_test

import (
	"strings"
	"testing"
)

func TestAppendLog_AddsEntry(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	c := d.connect(t, writer, "")
	var done struct{ Day, File, Line string }
	text := c.call("append_log", arguments{"text": "Ordered **tea**", "title": "Shopping"}, &done)
	if !strings.Contains(text, done.Line) || d.Read("ada/"+done.File) != "# Shopping\n\n"+done.Line+"\n" || !strings.HasSuffix(done.Line, " Ordered **tea**") {
		t.Errorf("%q, %+v: the log says %q", text, done, d.Read("ada/"+done.File))
	}
	c.fails("append_log", arguments{"text": " "}, "Nothing was changed: text is empty")
}
