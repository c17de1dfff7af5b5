// Package exporter writes the memories of agents for other places: a complete archive, Markdown
// files, one JSON object a line, and a bundle of the Open Knowledge Format.
package exporter

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/exchange"
	"memoir/internal/exchange/archive"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// Format is what an export is written as.
type Format string

// The formats, as the API spells them.
const (
	Archive  Format = "archive"  // a tar file, compressed with zstd, with all history
	Markdown Format = "markdown" // a zip of memory files
	JSONL    Format = "jsonl"    // the API's JSON of each memory
	OKF      Format = "okf"      // a zip with a bundle of the Open Knowledge Format
)

// File returns the name and the media type of an export.
func (f Format) File() (name, mediaType string) {
	switch f {
	case JSONL:
		return "memoir.jsonl", "application/jsonl"
	case Markdown:
		return "memoir-markdown.zip", "application/zip"
	case OKF:
		return "memoir-okf.zip", "application/zip"
	}
	return "memoir.tar.zst", "application/zstd"
}

// Store reads all agents. Nothing in it is masked.
type Store interface {
	AgentsUncounted(ctx context.Context) ([]records.Agent, error)
	Memories(ctx context.Context, agent records.Agent, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error)
	Raw(ctx context.Context, agent records.Agent, id string) ([]byte, error)
	Activity(ctx context.Context, list records.ActivityList) (records.ActivityPage, error)
	AddReveal(ctx context.Context, agentID int64, id string, actor memories.Actor) error
	Export(ctx context.Context, agentID int64, head func(exchange.Agent) error, each func(exchange.Memory) error) error
}

// Exporter writes exports. It is safe for concurrent use.
type Exporter struct {
	engine *engine.Engine
	store  Store
}

// New returns an Exporter.
func New(e *engine.Engine, store Store) *Exporter { return &Exporter{e, store} }

// Request is what to export.
type Request struct {
	Format Format
	Agents []string // slugs; empty means all agents
	// Secrets writes the texts of memories in quarantine as they are. The journal records that. An
	// archive always has them.
	Secrets bool
	// Pending adds the names about which a person has yet to decide to an archive, for another
	// machine.
	Pending bool
}

// HasSecrets reports whether the export contains what is masked for readers.
func (r Request) HasSecrets() bool { return r.Format == Archive || r.Secrets }

// Export checks a request, and returns a function that writes the export. Export fails with
// memories.ErrNotFound for an unknown slug. The function reads one agent after the other; the
// archive has each as of one moment.
func (x *Exporter) Export(ctx context.Context, r Request) (func(context.Context, io.Writer) error, error) {
	all, err := x.store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(a records.Agent) bool {
		return a.JoinedTo != "" || len(r.Agents) > 0 && !slices.Contains(r.Agents, a.Slug)
	})
	for _, slug := range r.Agents {
		if !slices.ContainsFunc(all, func(a records.Agent) bool { return a.Slug == slug }) {
			return nil, fmt.Errorf("agent %q: %w", slug, memories.ErrNotFound)
		}
	}
	slices.SortFunc(all, func(a, b records.Agent) int { return strings.Compare(a.Slug, b.Slug) })
	return func(ctx context.Context, w io.Writer) error {
		switch r.Format {
		case Archive:
			return x.writeArchive(ctx, w, all, r.Pending)
		case JSONL:
			return x.writeJSONL(ctx, w, all, r.Secrets)
		}
		z := zip.NewWriter(w)
		write := x.writeMarkdown
		if r.Format == OKF {
			write = x.writeOKF
		}
		if err := write(ctx, z, all, r.Secrets); err != nil {
			return err
		}
		return z.Close()
	}, nil
}

func (x *Exporter) writeArchive(ctx context.Context, to io.Writer, all []records.Agent, pending bool) error {
	list := make([]exchange.Agent, len(all))
	for i, a := range all {
		list[i] = exchange.Agent{Slug: a.Slug, Layout: a.Layout}
	}
	w, err := archive.NewWriter(to, list, pending)
	if err != nil {
		return err
	}
	for _, a := range all {
		indexes, err := x.engine.Indexes(ctx, a.Slug)
		if err != nil {
			return err
		}
		head := func(agent exchange.Agent) error {
			agent.Slug, agent.Layout, agent.Indexes = a.Slug, a.Layout, indexes
			if !pending {
				agent.Pending = nil
			}
			return w.BeginAgent(agent)
		}
		each := func(m exchange.Memory) error {
			m.Path = relative(a, m.Path)
			if m.Readable && m.Path == exchange.UsualPath(a.Layout, m) {
				m.Path = ""
			}
			return w.Memory(m)
		}
		if err := x.store.Export(ctx, a.ID, head, each); err != nil {
			return err
		}
	}
	return w.Close()
}

// relative returns a path relative to the agent's primary directory. It is empty for a path outside,
// as of a session.
func relative(a records.Agent, p string) string {
	dir := agents.Agent{Layout: agents.Layout(a.Layout)}.PrimaryDir()
	if dir == "." {
		return p
	}
	rel, inside := strings.CutPrefix(p, dir+"/")
	if !inside {
		return ""
	}
	return rel
}

// each calls do for each memory of an agent that is not deleted, in the order of names. Without
// secrets, texts in quarantine are masked; with them, the journal records it.
func (x *Exporter) each(ctx context.Context, a records.Agent, secrets bool, do func(memories.Memory) error) error {
	page := memories.PageRequest{Limit: 100}
	for {
		found, err := x.store.Memories(ctx, a, memories.Filter{Sort: memories.ByName}, page)
		if err != nil {
			return err
		}
		for _, m := range found.Memories {
			if m.IsQuarantined() && secrets {
				if err := x.store.AddReveal(ctx, a.ID, m.ID, engine.ActorOf(ctx)); err != nil {
					return err
				}
			} else {
				m = records.Masked(m)
			}
			if err := do(m); err != nil {
				return err
			}
		}
		if found.NextCursor == "" {
			return nil
		}
		page.Cursor = found.NextCursor
	}
}

func (x *Exporter) writeJSONL(ctx context.Context, to io.Writer, all []records.Agent, secrets bool) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	now := time.Now()
	for _, a := range all {
		err := x.each(ctx, a, secrets, func(m memories.Memory) error { return encoder.Encode(wire.Revealed(m, "", now)) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Exporter) writeMarkdown(ctx context.Context, z *zip.Writer, all []records.Agent, secrets bool) error {
	for _, a := range all {
		dir, taken := path.Join(a.Slug, "memory"), map[string]bool{}
		indexes, err := x.engine.Indexes(ctx, a.Slug)
		if err != nil {
			return err
		}
		for _, f := range indexes {
			if !secrets {
				f.Raw = []byte(quarantine.MaskSecrets(string(f.Raw)))
			}
			if err := add(z, path.Join(dir, f.Path), f.Raw); err != nil {
				return err
			}
			taken[strings.ToLower(f.Path)] = true
		}
		err = x.each(ctx, a, secrets, func(m memories.Memory) error {
			raw, err := x.rawOf(ctx, a, m, secrets)
			if err != nil || raw == nil {
				return err
			}
			return add(z, path.Join(dir, free(taken, fileOf(a, m))), raw)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rawOf returns the bytes of a memory's file, masked unless secrets is set. It returns nil if they
// are not stored.
func (x *Exporter) rawOf(ctx context.Context, a records.Agent, m memories.Memory, secrets bool) ([]byte, error) {
	raw, err := x.store.Raw(ctx, a, m.ID)
	if err == nil && m.IsQuarantined() && !secrets {
		raw = []byte(quarantine.Mask(string(raw)))
	}
	return raw, err
}

// fileOf returns the path of a memory's file in an export, relative to the directory of the agent's
// memories.
func fileOf(a records.Agent, m memories.Memory) string {
	for _, f := range m.Files {
		if rel := relative(a, f.Path); f.Session == "" && rel != "" {
			return rel
		}
	}
	return exchange.UsualPath(a.Layout, exchange.Memory{Name: m.Name, Team: m.Team, Type: m.Type})
}

// free returns file, or with a number if it is taken, and takes it. Names that differ only in letter
// case count as the same.
func free(taken map[string]bool, file string) string {
	for n := 1; ; n++ {
		p := memories.NumberedFileName(file, n)
		if key := strings.ToLower(p); !taken[key] {
			taken[key] = true
			return p
		}
	}
}

func add(z *zip.Writer, name string, raw []byte) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // no time, so that equal memories give equal bytes
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}
