// Package mcp is Memoir's MCP server: tools that list, search, read, save and delete memories,
// prompts for people, and each memory and compiled CLAUDE.md as a resource. It uses streamable HTTP
// at /mcp. It owns the texts of results and errors, which a model reads.
//
// It keeps no state between requests, so any server can answer the next one. The sync engine saves
// and deletes; package gate authenticates. cmd/server mounts the handler.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/recall"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Options configures the handler of New.
type Options struct {
	// Version is the server's version, which clients receive.
	Version string
	// DatabaseTime limits how long reads may take, and how long Postgres may not respond during a
	// change. The default is 15 seconds.
	DatabaseTime time.Duration
	// Log receives the errors of calls. It must not be nil.
	Log *slog.Logger
}

// Store is the database that the tools and resources use. *postgres.Store implements it.
type Store interface {
	records.Agents
	records.Memories
	records.Facts
	records.Verifications

	// RunDetached runs change and waits for it, even if ctx is cancelled. timeout limits how long the
	// database may not respond; then RunDetached returns, and change may continue.
	RunDetached(ctx context.Context, timeout time.Duration, change func(context.Context) error) error
}

// defaultDatabaseTime is the API's timeout, too.
const defaultDatabaseTime = 15 * time.Second

// endpoint implements the tools, prompts and resources.
type endpoint struct {
	engine   *engine.Engine
	store    Store
	recaller *recall.Recaller
	options  Options
	inputs   map[string]*jsonschema.Schema // by tool; read-only after New
}

// New returns the handler of /mcp, which answers POST only. If the URL has ?agent=slug, all calls
// use that agent, and tools and prompts have no agent argument. If it has ?dir=path, calls without
// an agent use the one of the project at path.
func New(engine *engine.Engine, store Store, recaller *recall.Recaller, options Options) http.Handler {
	if options.DatabaseTime == 0 {
		options.DatabaseTime = defaultDatabaseTime
	}
	e := &endpoint{engine, store, recaller, options, map[string]*jsonschema.Schema{}}
	anyAgent, oneAgent := e.server(false), e.server(true)
	choose := func(r *http.Request) *sdk.Server {
		if fixedAgent(r.Context()) != "" {
			return oneAgent
		}
		return anyAgent
	}
	return recall.RecordDelivered(receive(sdk.NewStreamableHTTPHandler(choose, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // package gate checks Host against the allowed names
	})))
}

// instructions is the text that a client shows its model about this server.
const instructions = `Memoir stores short memories about users, projects and tools, across conversations.
Before you ask the user something, look here: recall finds the memories that fit a task, search_memories finds words, list_memories lists all, and get_memory reads one.
Save knowledge that will matter in later conversations: who a user is, preferences, corrections, how recurring tasks are done, where resources are. Update a memory instead of adding another about the same subject. Delete a memory that is no longer true.
A memory states what was true when it was saved. Verify an old one before you rely on it.`

// server returns a new protocol server with all tools, prompts and resources, and with the handlers
// of e around each request. If agentIsFixed, the tools and prompts have no agent argument.
func (e *endpoint) server(agentIsFixed bool) *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "memoir", Title: "Memoir", Version: e.options.Version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// No capability announces changes, because the server sends nothing outside of a response.
			Capabilities:      &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
			CompletionHandler: e.complete,
			SetCacheable:      func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		})
	e.addTools(server, agentIsFixed)
	e.addPrompts(server, agentIsFixed)
	e.addResources(server)
	// The first middleware is the outermost.
	server.AddReceivingMiddleware(e.recoverPanic, e.restrictScope, e.escapeResults, e.correctArguments, e.serveResources)
	return server
}
