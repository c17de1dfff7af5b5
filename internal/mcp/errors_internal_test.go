package mcp

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestRecoverPanic_HidesCause(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	e := &endpoint{options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	breaking := func(context.Context, string, sdk.Request) (sdk.Result, error) { panic("the secret of the house") }
	result, err := e.recoverPanic(breaking)(t.Context(), "tools/call", nil)
	if result != nil || err == nil || !strings.Contains(err.Error(), "Internal error") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, %v", result, err)
	}
	if !strings.Contains(log.String(), "the secret of the house") || !strings.Contains(log.String(), "tools/call") {
		t.Errorf("the log says %s", log.String())
	}
}

func TestCut_CountsJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		kept string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"a\nb\ncdefgh", 8, "a\nb\n"}, {"漢字", 5, "漢"}, {"\"\"\"", 5, "\"\""}, {"<<", 6, "<"}, {"", 0, ""}, {"a", 0, ""}, {"\xff\xff", 7, "\xff"},
	} {
		if kept, whole := cut(c.text, c.most); kept != c.kept || whole != (kept == c.text) {
			t.Errorf("%q to %d: %q, %t", c.text, c.most, kept, whole)
		}
	}
}
