package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

// document is a Markdown text.
type document struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func markdown(text []byte) *document { return &document{"text/markdown; charset=utf-8", text} }

func (a *api) registerDocuments() {
	register(a, answers(get("/agents/{slug}/claude-md", "get-claude-md", "What is compiled into CLAUDE.md"),
		"text/markdown", "The whole CLAUDE.md. With as_of, what Memoir would have compiled then, in the handwritten parts of today."), a.getClaudeMD)
	register(a, answers(get("/agents/{slug}/index", "get-index", "MEMORY.md as an agent loads it", http.StatusConflict),
		"text/markdown", "MEMORY.md, cut to 200 lines and 25,000 UTF-16 code units; empty where there is none."), a.getIndex)
}

type claudeMDInput struct {
	AgentPath
	AsOf
	Without string `query:"without" doc:"The id of a memory: what would be compiled if it were deleted."`
}

func (a *api) getClaudeMD(ctx context.Context, in *claudeMDInput) (*document, error) {
	at, err := in.moment(time.Now())
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		preview, err := a.engine.Preview(ctx, in.Slug, in.Without)
		return markdown(preview.Text), err
	}
	if in.Without != "" {
		return nil, &memories.InvalidError{Field: "without", Reason: "cannot be given with as_of: what was published then is past"}
	}
	preview, err := a.engine.PreviewAsOf(ctx, in.Slug, at)
	return markdown(preview.Text), err
}

func (a *api) getIndex(ctx context.Context, in *AgentPath) (*document, error) {
	row, err := a.store.Agent(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	raw, err := readIndex(agents.Agent{Layout: agents.Layout(row.Layout), Dir: row.Dir})
	if err != nil {
		return nil, &memories.ConflictError{Reason: fmt.Sprintf("MEMORY.md cannot be read: %v. It is unchanged.", err)}
	}
	return markdown([]byte(memories.LoadIndex(raw))), nil
}

// maxIndex is the largest MEMORY.md that is read, in bytes; an agent loads less than a hundredth of it.
const maxIndex = 4 << 20

var errIndexTooLarge = fmt.Errorf("it is larger than %d MiB", maxIndex>>20)

// readIndex returns the durable directory's MEMORY.md, and nothing where there is none.
func readIndex(agent agents.Agent) ([]byte, error) {
	root, err := os.OpenRoot(agent.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, plain(err)
	}
	defer root.Close() //nolint:errcheck // only read through
	name, err := indexName(root, agent.DurableDir())
	if err != nil || name == "" {
		return nil, plain(err)
	}
	file, err := files.Open(root, path.Join(agent.DurableDir(), name))
	if err != nil {
		return nil, plain(err)
	}
	defer file.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(io.LimitReader(file, maxIndex+1))
	if len(raw) > maxIndex {
		err = errIndexTooLarge
	}
	return raw, plain(err)
}

// indexName returns how the directory spells MEMORY.md, which agents do in any letter case; empty where there is none.
func indexName(root *os.Root, dir string) (string, error) {
	handle, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer handle.Close() //nolint:errcheck // only read
	names, err := handle.Readdirnames(-1)
	if err != nil {
		return "", err
	}
	slices.Sort(names) // MEMORY.md itself before the other spellings
	for _, name := range names {
		if strings.EqualFold(name, "MEMORY.md") {
			return name, nil
		}
	}
	return "", nil
}

// plain takes the path off a file system error: an answer names no place outside the agent's directory.
func plain(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
