package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// resourcePage is how many resources a page has.
const resourcePage = 100

// A place in the list of resources, which goes by agent: its CLAUDE.md, then its memories by name.
type place struct {
	Agent string `json:"a"` // the slug; one that is gone stands for the next
	After string `json:"m"` // the cursor in the list of its memories; empty: the list begins, with its CLAUDE.md
}

func (p place) seal() string {
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // two strings
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

var errPlace = refusal("The cursor is not one that this list gave. Leave it out to begin with the first page.")

func unseal(cursor string) (p place, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(raw, &p) != nil || p.Agent == "" {
		return place{}, errPlace
	}
	return p, nil
}

// listingResources lists resources straight from Postgres, and refuses addresses that are none of theirs. The protocol's library lists what was added to its server before, which
// would have to follow every change, on every server.
func (e *endpoint) listingResources(next sdk.MethodHandler) sdk.MethodHandler {
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
			// What is not ours does not reach the library, which answers a URI that it could not quote not at all.
			if _, _, ok := parseURI(req.Params.URI); !ok {
				return nil, noSuchResource(req.Params.URI, "There is no such resource. resources/list lists those there are.")
			}
		}
		return next(ctx, method, req)
	}
}

// resources returns one page of them, and the cursor of the next; empty: it was the last.
func (e *endpoint) resources(ctx context.Context, cursor string) (page []*sdk.Resource, next string, err error) {
	agents, err := e.listedAgents(ctx)
	if err != nil {
		return nil, "", err
	}
	var from place
	if cursor != "" {
		if from, err = unseal(cursor); err != nil {
			return nil, "", err
		}
		agents = slices.DeleteFunc(agents, func(a records.Agent) bool { return a.Slug < from.Agent })
	}
	page = []*sdk.Resource{}
	for _, agent := range agents {
		at := place{Agent: agent.Slug}
		if agent.Slug == from.Agent {
			at = from
		}
		if len(page) >= resourcePage {
			return page, at.seal(), nil
		}
		if at.After == "" {
			page = append(page, claudeMDResource(agent))
		}
		// A page may be full with CLAUDE.md, and its agent's memories then begin the next: one is read, to have a cursor for them.
		listed, err := e.store.Memories(ctx, agent, memories.Filter{Sort: memories.ByName}, memories.PageRequest{Limit: max(1, resourcePage-len(page)), Cursor: at.After})
		if err != nil {
			return nil, "", err
		}
		for _, m := range listed.Memories {
			if m.Readable { // else its bytes are not kept
				page = append(page, memoryResource(m))
			}
		}
		if listed.NextCursor != "" {
			return page, place{agent.Slug, listed.NextCursor}.seal(), nil
		}
	}
	return page, "", nil
}

// listedAgents returns the agents that may be listed, by slug.
func (e *endpoint) listedAgents(ctx context.Context) ([]records.Agent, error) {
	if fixedAgent(ctx) != "" {
		agent, err := e.agent(ctx, "")
		return []records.Agent{agent}, err
	}
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
		Description: beginningOf(m.Description, mostDescription),
		Annotations: &sdk.Annotations{LastModified: m.ModifiedAt.UTC().Format(time.RFC3339)},
	}
}
