package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// safeTree changes the parsed tree: links get an allowed destination or become text, images become
// links, bare addresses without a host become text, headings are lowered.
type safeTree struct{}

// headingsSink is how many levels headings are lowered, below the page's title and the memory's
// name.
const headingsSink = 2

func (safeTree) Transform(document *ast.Document, reader text.Reader, pc parser.Context) {
	resolve := pc.Get(resolveKey).(Resolve)
	var links, images, addresses []ast.Node
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			node.Level = min(node.Level+headingsSink, 6)
			node.RemoveAttributes()
		case *ast.Link:
			links = append(links, node)
		case *ast.Image:
			images = append(images, node)
		case *ast.AutoLink:
			addresses = append(addresses, node)
		}
		return ast.WalkContinue, nil
	})
	for _, node := range images {
		image := node.(*ast.Image)
		link := ast.NewLink()
		link.Destination = image.Destination
		if !image.HasChildren() {
			image.AppendChild(image, ast.NewString(image.Destination))
		}
		replaceKeepingChildren(image, link)
		links = append(links, link)
	}
	for _, node := range links {
		restrict(node.(*ast.Link), resolve)
	}
	for _, node := range addresses {
		address := node.(*ast.AutoLink)
		if _, ok := destination(string(address.URL(reader.Source())), resolve); !ok && address.AutoLinkType == ast.AutoLinkURL {
			address.Parent().ReplaceChild(address.Parent(), address, ast.NewString(address.Label(reader.Source())))
		}
	}
}

// restrict gives a link its allowed destination and removes its title. If destination returns
// false, or the link is inside another link, it replaces the link by its text.
func restrict(link *ast.Link, resolve Resolve) {
	if _, done := link.AttributeString(resolvedAttribute); done {
		link.RemoveAttributes()
		return
	}
	link.Title = nil
	href, ok := destination(string(link.Destination), resolve)
	if !ok || insideLink(link) {
		unwrap(link)
		return
	}
	link.Destination = []byte(href)
}

// insideLink reports whether a node is inside a link, such as an image in a link's text.
func insideLink(link ast.Node) bool {
	for parent := link.Parent(); parent != nil; parent = parent.Parent() {
		if parent.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

func replaceKeepingChildren(old, replacement ast.Node) {
	moveChildren(old, func(child ast.Node) { replacement.AppendChild(replacement, child) })
	old.Parent().ReplaceChild(old.Parent(), old, replacement)
}

// unwrap replaces a node by its children.
func unwrap(node ast.Node) {
	parent := node.Parent()
	moveChildren(node, func(child ast.Node) { parent.InsertBefore(parent, node, child) })
	parent.RemoveChild(parent, node)
}

// moveChildren removes each child of a node, in order, and calls place with it, which inserts it
// elsewhere.
func moveChildren(from ast.Node, place func(ast.Node)) {
	for child := from.FirstChild(); child != nil; {
		next := child.NextSibling()
		from.RemoveChild(from, child)
		place(child)
		child = next
	}
}
