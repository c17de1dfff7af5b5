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
	wanted := exporter.Request{Format: in.Format, Agents: in.Agents, Secrets: in.Secrets == "include", Pending: in.Pending}
	if !gate.CanWrite(ctx) && wanted.HasSecrets() {
		return nil, problem.New(http.StatusForbidden, "This export has everything, also what is masked for readers. Use the owner's token, or another format without secrets.")
	}
	write, err := a.options.Exporter.Export(ctx, wanted)
	if err != nil {
		return nil, err
	}
	name, mediaType := in.Format.File()
	return &fileAnswer{mediaType, `attachment; filename="` + name + `"`, func(ctx huma.Context) {
		request, w := humachi.Unwrap(ctx)
		a.sendFile(w, request, "export incomplete", write)
	}}, nil
}

// sendFile writes the body of an answer that may take hours. A HEAD request gets none. If write fails,
// sendFile logs the failure and closes the connection, so that the client notices.
func (a *api) sendFile(w http.ResponseWriter, r *http.Request, failure string, write func(context.Context, io.Writer) error) {
	if r.Method == http.MethodHead {
		return
	}
	out := &longWriter{w: w, control: http.NewResponseController(w)}
	defer out.control.SetWriteDeadline(time.Time{}) //nolint:errcheck // the connection may serve another request
	if err := write(r.Context(), out); err != nil {
		a.options.Log.Warn(failure, "request", gate.RequestID(r.Context()), "error", err)
		panic(http.ErrAbortHandler)
	}
}

// longWriter is the response to one client that may take hours. The client must accept data within
// sendTimeout.
type longWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	set     time.Time // when the deadline was last set
}

func (w *longWriter) Write(p []byte) (int, error) {
	if now := time.Now(); now.Sub(w.set) > time.Second {
		w.set = now
		_ = w.control.SetWriteDeadline(now.Add(sendTimeout)) // a test's recorder has no deadlines
	}
	return w.w.Write(p)
}
