// Package mcp lets any agent that speaks the Model Context Protocol use what Memoir keeps: tools that list, find, read, save and
// delete memories, prompts that a person calls, and each memory and compiled CLAUDE.md as a resource. It speaks the protocol over
// streamable HTTP, at /mcp, and words every answer and every error for the model that reads it.
//
// It keeps nothing between two requests: whichever server is asked can answer, and a restart is not noticed. What a save or a
// deletion does is the sync room's; who may come in, and who may only read, is the gate's. cmd/server puts it under /mcp.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/recall"
	"memoir/internal/sync"
)

// Options are the settings of the endpoint.
type Options struct {
	// Version is the server's, which clients are told.
	Version string
	// DatabaseTime is how long Postgres may take for what a call reads, and to say that it is there before a call writes; 0 is 15 s.
	DatabaseTime time.Duration
	Log          *slog.Logger
}

// defaultDatabaseTime is the API's.
const defaultDatabaseTime = 15 * time.Second

type endpoint struct {
	engine   *sync.Engine
	store    Store
	recaller *recall.Recaller
	options  Options
	inputs   map[string]*jsonschema.Schema // by tool; only read once the servers are built
}

// New returns the handler of /mcp. The agent may be fixed in the address, as ?agent=slug; else each call names it.
func New(engine *sync.Engine, store Store, recaller *recall.Recaller, options Options) http.Handler {
	if options.DatabaseTime == 0 {
		options.DatabaseTime = defaultDatabaseTime
	}
	e := &endpoint{engine, store, recaller, options, map[string]*jsonschema.Schema{}}
	ofAny, ofOne := e.server(false), e.server(true)
	choose := func(r *http.Request) *sdk.Server {
		if fixedAgent(r.Context()) != "" {
			return ofOne
		}
		return ofAny
	}
	return receive(sdk.NewStreamableHTTPHandler(choose, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the gate checks Host, and knows the names that are allowed
	}))
}

// instructions tell a model what this server is for.
const instructions = `Memoir stores short memories about users, projects and tools, across conversations.
Before you ask the user something, look here: recall finds the memories that fit a task, search_memories finds words, list_memories lists all, and get_memory reads one.
Save knowledge that will matter in later conversations: who a user is, preferences, corrections, how recurring tasks are done, where resources are. Update a memory instead of adding another about the same subject. Delete a memory that is no longer true.
A memory states what was true when it was saved. Verify an old one before you rely on it.`

// server builds what a client finds. Where the address fixes the agent, nothing takes one.
func (e *endpoint) server(agentIsFixed bool) *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "memoir", Title: "Memoir", Version: e.options.Version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// Nothing is told unasked: no request outlives its answer.
			Capabilities:      &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
			CompletionHandler: e.complete,
			SetCacheable:      func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		})
	e.addListMemories(server, agentIsFixed)
	e.addSearchMemories(server, agentIsFixed)
	e.addGetMemory(server, agentIsFixed)
	e.addSaveMemory(server, agentIsFixed)
	e.addDeleteMemory(server, agentIsFixed)
	e.addRecall(server, agentIsFixed)
	e.addAppendLog(server, agentIsFixed)
	e.addPrompts(server, agentIsFixed)
	e.addResources(server)
	// The first stands around the others.
	server.AddReceivingMiddleware(e.unbroken, e.readersOnlyRead, e.forgiving, e.listingResources)
	return server
}
