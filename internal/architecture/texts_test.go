package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

const (
	maxTextWords  = 12 // of a text on a page
	maxLabelWords = 3  // of a button or a link
	maxLogWords   = 12 // of the message of a log entry
)

// longTexts are the beginnings of texts with more than maxTextWords words, with the reason.
var longTexts = map[string]string{
	"---\nname: Release day\n": "an example of a memory file",
}

// TestTexts_AtMost12Words reads the texts of the pages: the string literals of their Go files, and
// the texts, titles and names in their generated templates. Inserted values do not count.
func TestTexts_AtMost12Words(t *testing.T) {
	t.Parallel()
	texts, found := 0, map[string]bool{}
	check := func(where, text string) {
		texts++
		for beginning := range longTexts {
			if strings.HasPrefix(text, beginning) {
				found[beginning] = true
				return
			}
		}
		if n := len(strings.Fields(text)); n > maxTextWords {
			t.Errorf("%s has a text of %d words, want at most %d: %q", where, n, maxTextWords, text)
		}
	}
	for _, dir := range []string{"web/templates", "internal/pages"} {
		forEachFile(t, dir, func(name string, file *ast.File) {
			isTemplate := strings.HasSuffix(name, "_templ.go")
			ast.Inspect(file, func(n ast.Node) bool {
				if field, ok := n.(*ast.KeyValueExpr); ok && nameOf(field.Key) == "Label" {
					if label, ok := textOf(field.Value); ok && len(strings.Fields(label)) > maxLabelWords {
						t.Errorf("%s has the label %q, want at most %d words", name, label, maxLabelWords)
					}
				}
				text, ok := textOf(n)
				switch {
				case !ok:
				case !strings.ContainsAny(text, "<>"):
					check(name, text)
				case isTemplate:
					for _, text := range textsIn(text) {
						check(name, text)
					}
				}
				return true
			})
		})
	}
	if texts < 3000 {
		t.Errorf("%d texts found, want all", texts)
	}
	for beginning := range longTexts {
		if !found[beginning] {
			t.Errorf("no text begins with %q", beginning)
		}
	}
}

// inlineElements are the elements inside of a sentence. Others end it.
var inlineElements = []string{"a", "abbr", "b", "bdi", "code", "em", "i", "kbd", "small", "span", "strong", "time"}

// textsIn returns the texts of a part of a page, and its attributes that a user reads. The part can
// begin inside a tag.
func textsIn(markup string) (texts []string) {
	if end := strings.IndexByte(markup, '>'); end >= 0 && !strings.Contains(markup[:end], "<") {
		markup = "<cut " + markup
	}
	sentence := ""
	tokens := html.NewTokenizer(strings.NewReader(markup))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return append(texts, sentence)
		}
		part := tokens.Token()
		if kind == html.TextToken {
			sentence += part.Data
			continue
		}
		if !slices.Contains(inlineElements, part.Data) {
			texts, sentence = append(texts, sentence), ""
		}
		for _, a := range part.Attr {
			if slices.Contains([]string{"aria-label", "placeholder", "title"}, a.Key) {
				texts = append(texts, a.Val)
			}
		}
	}
}

// logMethods are the methods that log, with the index of the message among their arguments.
var logMethods = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0, "DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1, "Log": 2, "LogAttrs": 2,
}

var (
	isLogger = regexp.MustCompile(`(?i)^(log|logger|slog)$`)
	// properNames are names that begin a message with a capital letter.
	properNames = regexp.MustCompile(`^(CLAUDE\.md|MCP|MEMORY\.md|Postgres|TLS)\b`)
	article     = regexp.MustCompile(`^(a|an|the)\b`)
)

// TestTexts_LogMessages checks that the message of a log entry is a constant, short, in lower case
// and without a full stop, as package slog expects. Values belong into attributes.
func TestTexts_LogMessages(t *testing.T) {
	t.Parallel()
	messages := 0
	for _, dir := range []string{"cmd", "internal"} {
		forEachFile(t, dir, func(name string, file *ast.File) {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				method, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || !isLogger.MatchString(nameOf(method.X)) {
					return true
				}
				at, ok := logMethods[method.Sel.Name]
				if !ok || at >= len(call.Args) {
					return true
				}
				messages++
				message, ok := textOf(call.Args[at])
				_, isCall := call.Args[at].(*ast.CallExpr)
				switch {
				case isCall, !ok && nameOf(call.Args[at]) == "":
					t.Errorf("%s logs a message that is not a constant", name)
				case !ok: // a constant or a field
				case strings.HasSuffix(message, "."):
					t.Errorf("%s logs %q with a full stop", name, message)
				case unicode.IsUpper([]rune(message)[0]) && !properNames.MatchString(message):
					t.Errorf("%s logs %q with a capital letter", name, message)
				case article.MatchString(message):
					t.Errorf("%s logs %q with an article at its start", name, message)
				case len(strings.Fields(message)) > maxLogWords:
					t.Errorf("%s logs %q, want at most %d words", name, message, maxLogWords)
				}
				return true
			})
		})
	}
	if messages < 70 {
		t.Errorf("%d messages found, want all", messages)
	}
}

// forEachFile calls do for each Go file below a directory of the module, but not for tests and
// examples.
func forEachFile(t *testing.T, dir string, do func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("../..", dir), func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir(), !strings.HasSuffix(p, ".go"), strings.HasSuffix(p, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err == nil {
			do(strings.TrimPrefix(filepath.ToSlash(p), "../../"), file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// textOf returns the text of a string literal.
func textOf(n ast.Node) (text string, ok bool) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// nameOf returns the last name of an identifier, a selector or a call without arguments: log for
// s.options.log and for s.log(). It is empty for other expressions.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return nameOf(e.Fun)
		}
	}
	return ""
}
