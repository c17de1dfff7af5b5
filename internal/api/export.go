package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"memoir/internal/exporter"
	"memoir/internal/gate"
	"memoir/internal/problem"
)

func (a *api) registerExport() {
	register(a, withMediaType(get("/export", "export", "Export memories: a complete archive, Markdown files, JSON lines, or a bundle of the Open Knowledge Format", http.StatusNotFound, http.StatusConflict),
		"application/octet-stream", "A file in the requested format."), a.export)
}

type exportInput struct {
	Format  exporter.Format `query:"format" enum:"archive,markdown,jsonl,okf" default:"archive" doc:"archive: everything with all history, for the owner only. markdown and okf: a zip. jsonl: one Memory a line."`
	Agents  []string        `query:"agent,explode" doc:"Slug of an agent; repeatable. Without it, all agents."`
	Secrets string          `query:"secrets" enum:"mask,include" doc:"include writes secrets and orders to the agent as they are, for the owner only. An archive always has them."`
	Pending bool            `query:"pending" doc:"Adds the names that wait for a decision to an archive, for another machine."`
}

// fileAnswer is an answer whose body is written by a function.
type fileAnswer struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	Body               func(huma.Context)
}

func (a *api) export(ctx context.Context, in *exportInput) (*fileAnswer, error) {
	if a.options.Exporter == nil {
		return nil, problem.New(http.StatusConflict, "This server has no exports.")
	}
	if !gate.CanWrite(ctx) && (in.Format == exporter.Archive || in.Secrets == "include") {
		return nil, problem.New(http.StatusForbidden, "This export has everything, also what is masked for readers. Use the owner's token, or another format without secrets.")
	}
	write, err := a.options.Exporter.Export(ctx, exporter.Request{
		Format: in.Format, Agents: in.Agents, Secrets: in.Secrets == "include", Pending: in.Pending,
	})
	if err != nil {
		return nil, err
	}
	name, mediaType := in.Format.File()
	return &fileAnswer{mediaType, `attachment; filename="` + name + `"`, func(ctx huma.Context) {
		request, w := humachi.Unwrap(ctx)
		if request.Method == http.MethodHead {
			return
		}
		out := &patientWriter{w, http.NewResponseController(w)}
		defer out.control.SetWriteDeadline(time.Time{}) //nolint:errcheck // the connection may serve another request
		if err := write(request.Context(), out); err != nil {
			a.options.Log.Warn("export incomplete", "request", gate.RequestID(request.Context()), "error", err)
			panic(http.ErrAbortHandler) // the client must notice that the file is incomplete
		}
	}}, nil
}

// patientWriter gives each write to a client a time limit of its own.
type patientWriter struct {
	io.Writer
	control *http.ResponseController
}

func (w *patientWriter) Write(part []byte) (int, error) {
	// fails for a test's recorder, which has no deadlines
	_ = w.control.SetWriteDeadline(time.Now().Add(sendTimeout))
	return w.Writer.Write(part)
}
