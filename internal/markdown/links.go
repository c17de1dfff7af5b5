package markdown

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// memoryLinkParser parses [[name]], a link to another memory.
type memoryLinkParser struct{}

func (memoryLinkParser) Trigger() []byte { return []byte{'['} }

func (memoryLinkParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	inner, found := bytes.CutPrefix(line, []byte("[["))
	if !found {
		return nil
	}
	end := bytes.Index(inner, []byte("]]"))
	if end < 1 {
		return nil
	}
	name := string(bytes.TrimSpace(inner[:end]))
	href, ok := pc.Get(resolveKey).(Resolve)(name)
	if !ok {
		return nil
	}
	block.Advance(len("[[") + end + len("]]"))
	link := ast.NewLink()
	link.Destination = []byte(href)
	link.AppendChild(link, ast.NewString([]byte(name)))
	link.SetAttributeString(resolvedAttribute, true)
	return link
}

// resolvedAttribute marks a link whose destination the caller has resolved, so that restrict does
// not check it. restrict removes the attribute.
const resolvedAttribute = "resolved"

// destination returns the allowed destination of a link. A web or mail address is returned as it
// is; for the path of a Markdown file it is the result of resolve. ok is false for all others, and
// if resolve returns false.
func destination(raw string, resolve Resolve) (href string, ok bool) {
	target, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return "", false
	}
	switch strings.ToLower(target.Scheme) {
	case "http", "https":
		return target.String(), target.Host != ""
	case "mailto":
		return target.String(), target.Opaque != ""
	case "":
		if target.Host == "" && strings.EqualFold(path.Ext(target.Path), ".md") {
			return resolve(target.Path)
		}
	}
	return "", false
}
