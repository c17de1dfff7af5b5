package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// resourcePage is the number of resources on a page. Arbitrary.
const resourcePage = 100

// position is a place in the list of resources. The list is ordered by agent: first its CLAUDE.md,
// then its memories by name.
type position struct {
	Agent string `json:"a"` // the slug; if there is no such agent, the next one follows
	After string `json:"m"` // a cursor in its memories; empty if CLAUDE.md is next
}

// encode returns the position as a cursor.
func (p position) encode() string {
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

var errCursor = refusal("Unknown cursor. Leave it out to start from the first page.")

// decode returns the position of a cursor. It returns errCursor if the cursor is malformed.
func decode(cursor string) (p position, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(raw, &p) != nil || p.Agent == "" {
		return position{}, errCursor
	}
	return p, nil
}

// serveResources returns a handler that answers resources/list from the database, and rejects reads
// of a URI of unknown form with a JSON-RPC error. It calls next for other requests. The SDK would
// list only the resources added to its server, which every server would have to update at each
// change.
func (e *endpoint) serveResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ListResourcesRequest:
			result := &sdk.ListResourcesResult{Cacheable: sdk.Cacheable{CacheScope: "private"}}
			cursor := ""
			if req.Params != nil {
				cursor = req.Params.Cursor
			}
			err := e.reading(ctx, func(ctx context.Context) (err error) {
				result.Resources, result.NextCursor, err = e.resources(ctx, cursor)
				return err
			})
			if err != nil {
				return nil, e.asProtocol(ctx, err)
			}
			return result, nil
		case *sdk.ReadResourceRequest:
			// The SDK sends no response if it cannot quote the URI.
			if _, _, ok := parseURI(req.Params.URI); !ok {
				return nil, noSuchResource(req.Params.URI, "Resource not found. See resources/list.")
			}
		}
		return next(ctx, method, req)
	}
}

// resources returns one page of the resources of listedAgents, and the cursor of the next page, or
// "" at the end. The resources of an agent are its CLAUDE.md and its readable memories outside the
// trash. It returns errCursor for a malformed cursor.
func (e *endpoint) resources(ctx context.Context, cursor string) (page []*sdk.Resource, next string, err error) {
	agents, err := e.listedAgents(ctx)
	if err != nil {
		return nil, "", err
	}
	var from position
	if cursor != "" {
		if from, err = decode(cursor); err != nil {
			return nil, "", err
		}
		agents = slices.DeleteFunc(agents, func(a records.Agent) bool { return a.Slug < from.Agent })
	}
	page = []*sdk.Resource{}
	for _, agent := range agents {
		at := position{Agent: agent.Slug}
		if agent.Slug == from.Agent {
			at = from
		}
		if len(page) >= resourcePage {
			return page, at.encode(), nil
		}
		if at.After == "" {
			page = append(page, claudeMDResource(agent))
		}
		// If the page is full, one memory is read to get a cursor for the rest.
		listed, err := e.store.Memories(ctx, agent, memories.Filter{Sort: memories.ByName}, memories.PageRequest{Limit: max(1, resourcePage-len(page)), Cursor: at.After})
		if err != nil {
			return nil, "", err
		}
		for _, m := range listed.Memories {
			if m.Readable { // the bytes of others are not stored
				page = append(page, memoryResource(m))
			}
		}
		if listed.NextCursor != "" {
			return page, position{agent.Slug, listed.NextCursor}.encode(), nil
		}
	}
	return page, "", nil
}

// listedAgents returns the agents whose resources are listed, sorted by slug: the one in the URL,
// the one of the directory in the URL, or all. It returns none if the directory has no agent or
// several. It returns a refusal if the agent in the URL is unknown, or the directory is not an
// absolute path.
func (e *endpoint) listedAgents(ctx context.Context) ([]records.Agent, error) {
	if fixedAgent(ctx) == "" && clientDir(ctx) == "" {
		return e.allAgents(ctx)
	}
	agent, err := e.agent(ctx, "")
	if errors.Is(err, errAmbiguousDir) {
		return nil, nil
	}
	return []records.Agent{agent}, err
}

// allAgents returns all agents, sorted by slug.
func (e *endpoint) allAgents(ctx context.Context) ([]records.Agent, error) {
	all, err := e.store.AgentsUncounted(ctx)
	slices.SortFunc(all, func(a, b records.Agent) int { return cmp.Compare(a.Slug, b.Slug) })
	return all, err
}

func claudeMDResource(agent records.Agent) *sdk.Resource {
	return &sdk.Resource{
		URI: uriOfClaudeMD(agent.Slug), Name: agent.Slug + "/CLAUDE.md", Title: "CLAUDE.md of " + agent.Slug, MIMEType: markdown,
		Description: "The text that is compiled from the memories of " + agent.Slug + ".",
	}
}

func memoryResource(m memories.Memory) *sdk.Resource {
	return &sdk.Resource{
		URI: uriOf(m.Agent, m.ID), Name: m.Name, Title: m.Name, MIMEType: markdown, Size: m.Size,
		Description: beginningOf(m.Description, maxDescription),
		Annotations: &sdk.Annotations{LastModified: m.ModifiedAt.UTC().Format(time.RFC3339)},
	}
}
