package mcp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/records"
)

const (
	scheme   = "memoir://agents/"
	claudeMD = "claude-md"
	inMemory = "memories/"
	markdown = "text/markdown"
)

// uriOf returns the URI of a memory. Slugs and ids need no escapes.
func uriOf(slug, id string) string { return scheme + slug + "/" + inMemory + id }

func uriOfClaudeMD(slug string) string { return scheme + slug + "/" + claudeMD }

// parseURI returns the agent's slug and the memory's id in a URI. The id is empty for CLAUDE.md. ok
// is false if the URI has neither form.
func parseURI(uri string) (slug, id string, ok bool) {
	rest, ours := strings.CutPrefix(uri, scheme)
	slug, path, _ := strings.Cut(rest, "/")
	id, isMemory := strings.CutPrefix(path, inMemory)
	if !isMemory {
		return slug, "", ours && isPlain(slug) && path == claudeMD
	}
	return slug, id, ours && isPlain(slug) && isPlain(id)
}

// isPlain reports whether part can be a slug or an id: it is not empty and has only their
// characters.
func isPlain(part string) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return part != "" && strings.Trim(part, plain) == ""
}

func (e *endpoint) addResources(server *sdk.Server) {
	read := func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return e.readResource(ctx, req.Params.URI)
	}
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "memory", Title: "A memory", URITemplate: uriOf("{slug}", "{id}"), MIMEType: markdown,
		Description: "The file of one memory, byte for byte: frontmatter and text.",
	}, read)
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: claudeMD, Title: "The compiled CLAUDE.md", URITemplate: uriOfClaudeMD("{slug}"), MIMEType: markdown,
		Description: "The text that is compiled from an agent's memories into its CLAUDE.md.",
	}, read)
}

// readResource returns the bytes of a resource, as text if they are UTF-8, else as a blob. Every
// error is a JSON-RPC error; if there is no such resource, its code is CodeInvalidParams.
func (e *endpoint) readResource(ctx context.Context, uri string) (*sdk.ReadResourceResult, error) {
	var raw []byte
	err := e.reading(ctx, func(ctx context.Context) (err error) {
		raw, err = e.resource(ctx, uri)
		return err
	})
	var missing noResource
	switch {
	case errors.As(err, &missing):
		return nil, noSuchResource(uri, string(missing))
	case err != nil:
		return nil, e.asProtocol(ctx, err)
	}
	contents := &sdk.ResourceContents{URI: uri, MIMEType: markdown}
	if utf8.Valid(raw) {
		contents.Text = string(raw)
	} else {
		contents.Blob = raw
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents}}, nil
}

// noResource is the reason why a URI has no resource.
type noResource string

func (n noResource) Error() string { return string(n) }

// resource returns the bytes of the memory's file at uri, or the CLAUDE.md compiled from the
// current memories. It returns a noResource if there is no such resource, or if the request's URL
// fixes another agent.
func (e *endpoint) resource(ctx context.Context, uri string) ([]byte, error) {
	slug, id, ok := parseURI(uri)
	if fixed := fixedAgent(ctx); !ok || fixed != "" && slug != fixed {
		return nil, noResource("Resource not found. See resources/list.")
	}
	agent, err := e.store.AgentUncounted(ctx, slug)
	if errors.Is(err, memories.ErrNotFound) {
		return nil, noResource("Agent not found. See resources/list.")
	}
	if err != nil {
		return nil, err
	}
	if id == "" {
		preview, err := e.engine.Preview(ctx, agent.Slug, "")
		return preview.Text, err
	}
	return fileOf(ctx, e.store, agent, id)
}

// fileOf returns the bytes of a memory's file. It returns a noResource if there is no such memory,
// if it is deleted, or if its bytes are not stored.
func fileOf(ctx context.Context, store Store, agent records.Agent, id string) ([]byte, error) {
	m, err := store.Memory(ctx, agent, id)
	switch {
	case errors.Is(err, memories.ErrNotFound):
		return nil, noResource("Memory not found. See resources/list.")
	case err != nil:
		return nil, err
	case m.State == memories.Deleted:
		return nil, noResource("The memory is in the trash. get_memory can still read it.")
	}
	raw, err := store.Raw(ctx, agent, id)
	if err == nil && raw == nil {
		return nil, noResource("The file's bytes are not stored: it is unreadable or too large. It is unchanged on disk.")
	}
	if m.IsQuarantined() {
		raw = []byte(quarantine.Mask(string(raw)))
	}
	return raw, err
}
