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

// ImportReport is what an import changes or has changed.
type ImportReport struct {
	Applied bool              `json:"applied" doc:"False for a dry run: nothing was changed."`
	Format  string            `json:"format" enum:"archive,markdown,json" doc:"As which the file was read."`
	Agents  []ImportedAgent   `json:"agents" nullable:"false"`
	Skipped []formats.Skipped `json:"skipped" nullable:"false" doc:"Parts of the file that are no memories."`
}

// ImportedAgent is the part of an import about one agent.
type ImportedAgent struct {
	From    string         `json:"from" doc:"The agent's slug in the file; empty if the file names none."`
	Agent   string         `json:"agent" doc:"The agent's slug here."`
	Creates bool           `json:"creates" doc:"The agent is new here."`
	Problem *string        `json:"problem" doc:"Why nothing of the agent is imported; null if it is."`
	Counts  ImportCounts   `json:"counts"`
	Items   []ImportedItem `json:"items" nullable:"false" doc:"All memories but those with the outcomes same and newer."`
}

// ImportCounts are the numbers of an agent's memories by outcome.
type ImportCounts struct {
	New        int `json:"new" doc:"Added with their history."`
	Changed    int `json:"changed" doc:"Get the newer content."`
	Deleted    int `json:"deleted" doc:"Deleted there since; go to the trash."`
	Same       int `json:"same"`
	Newer      int `json:"newer" doc:"The content here is newer and stays."`
	Tombstoned int `json:"tombstoned" doc:"Deleted here; stay deleted."`
	Conflict   int `json:"conflict" doc:"Changed on both sides; the review asks."`
	Pending    int `json:"pending" doc:"A person has yet to decide about them, here or there."`
	Failed     int `json:"failed"`
	History    int `json:"history" doc:"Stay, and get earlier contents."`
}

// ImportedItem is one memory of an import.
type ImportedItem struct {
	Name    string  `json:"name"`
	Scope   string  `json:"scope" enum:"private,team"`
	Outcome string  `json:"outcome" enum:"new,changed,deleted,same,newer,tombstoned,conflict,pending,failed"`
	Reason  *string `json:"reason"`
}

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

func (a *api) importFile(ctx context.Context, in *importInput) (*answer[ImportReport], error) {
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
	out := ImportReport{Applied: report.Applied, Format: read.Format, Agents: wire.List(report.Agents, importedAgentOf), Skipped: append([]formats.Skipped{}, read.Skipped...)}
	return ok(out), nil
}

func importedAgentOf(r importer.AgentReport) ImportedAgent {
	return ImportedAgent{
		From: r.From, Agent: r.Slug, Creates: r.Creates, Problem: wire.Text(r.Problem),
		Counts: ImportCounts{
			New: r.Counts["new"], Changed: r.Counts["changed"], Deleted: r.Counts["deleted"], Same: r.Counts["same"], Newer: r.Counts["newer"],
			Tombstoned: r.Counts["tombstoned"], Conflict: r.Counts["conflict"], Pending: r.Counts["pending"], Failed: r.Counts["failed"], History: r.History,
		},
		Items: wire.List(r.Items, func(i importer.Item) ImportedItem {
			return ImportedItem{i.Name, string(memories.ScopeOf(i.Team)), string(i.Outcome), wire.Text(i.Reason)}
		}),
	}
}
