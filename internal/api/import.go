package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"memoir/internal/exchange/formats"
	"memoir/internal/importer"
	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/wire"
)

const (
	importPath = "/api/v1/import"
	// maxImport limits the body of an import, in bytes. It is kept in a temporary file. Arbitrary.
	maxImport = 1 << 30
	// importTime is how long the body of an import may take. Arbitrary.
	importTime = 30 * time.Minute
)

func (a *api) registerImport() {
	op := post("/import", "import", "Import memories from an archive, Markdown files, or another program's export", http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge)
	op.RequestBody = &huma.RequestBody{
		Description: "The file itself: an archive; a zip or tar file of Markdown files; JSON; or one Markdown file.",
		Content:     map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
		Required:    true,
	}
	register(a, op, a.importFile)
}

type importInput struct {
	DryRun string        `query:"dry_run" enum:"true,false" default:"true" doc:"true lists what would change; false changes it."`
	Into   string        `query:"into" doc:"Slug of the agent that gets all memories. Without it, the agents of the same slugs."`
	Map    []string      `query:"map,explode" doc:"there=here: another slug here for an agent there; repeatable."`
	Type   memories.Type `query:"type" enum:"feedback,user,project,reference" doc:"For memories without a type."`

	file *os.File
	size int64
	err  error
}

// Resolve keeps the body in a temporary file, before the database is asked.
func (in *importInput) Resolve(ctx huma.Context) []error {
	request, w := humachi.Unwrap(ctx)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(importTime)) // fails for a test's recorder
	defer control.SetReadDeadline(time.Time{})              //nolint:errcheck // as above
	in.file, in.err = os.CreateTemp("", "memoir-import-*")
	if in.err == nil {
		in.err = os.Remove(in.file.Name()) // it goes with the last handle
	}
	if in.err == nil && request.Body != nil {
		in.size, in.err = io.Copy(in.file, http.MaxBytesReader(w, request.Body, maxImport))
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(in.err, &tooLarge):
		return []error{problem.New(http.StatusRequestEntityTooLarge, "The file is larger than 1 GiB. Nothing was changed. Import parts of it.")}
	case in.err != nil:
		return []error{bodyProblem(in.err)}
	}
	return nil
}

func (a *api) importFile(ctx context.Context, in *importInput) (*answer[wire.ImportReport], error) {
	defer in.file.Close() //nolint:errcheck // temporary
	if a.options.Importer == nil {
		return nil, problem.New(http.StatusConflict, "This server has no imports.")
	}
	request := importer.Request{Into: in.Into, Map: map[string]string{}, Apply: in.DryRun == "false"}
	for _, pair := range in.Map {
		there, here, ok := strings.Cut(pair, "=")
		if !ok || there == "" || here == "" {
			return nil, unprocessable(problem.Field{Location: "query.map", Message: "must be there=here"})
		}
		request.Map[there] = here
	}
	if in.Into != "" {
		if _, err := a.store.AgentUncounted(ctx, in.Into); errors.Is(err, memories.ErrNotFound) {
			return nil, unprocessable(problem.Field{Location: "query.into", Message: "is no agent"})
		} else if err != nil {
			return nil, err
		}
	}
	read, err := importer.Read(in.file, in.size, formats.Options{Type: in.Type, Now: time.Now()})
	if err != nil {
		return nil, err
	}
	request.Agents = read.Agents
	report, err := a.options.Importer.Import(ctx, request)
	if err != nil {
		return nil, err
	}
	return ok(wire.ImportReport{
		Applied: report.Applied, Format: read.Format, Agents: wire.List(report.Agents, importedAgentOf),
		Skipped: wire.List(read.Skipped, func(s formats.Skipped) wire.SkippedPart { return wire.SkippedPart(s) }),
	}), nil
}

func importedAgentOf(r importer.AgentReport) wire.ImportedAgent {
	return wire.ImportedAgent{
		From: r.From, Agent: r.Slug, Creates: r.Creates, Problem: wire.Text(r.Problem),
		Counts: wire.ImportCounts{
			New: r.Counts["new"], Changed: r.Counts["changed"], Deleted: r.Counts["deleted"], Same: r.Counts["same"], Newer: r.Counts["newer"],
			Tombstoned: r.Counts["tombstoned"], Conflict: r.Counts["conflict"], Pending: r.Counts["pending"], Failed: r.Counts["failed"], History: r.History,
		},
		Items: wire.List(r.Items, func(i importer.Item) wire.ImportedItem {
			return wire.ImportedItem{Name: i.Name, Scope: string(memories.ScopeOf(i.Team)), Outcome: string(i.Outcome), Reason: wire.Text(i.Reason)}
		}),
	}
}
