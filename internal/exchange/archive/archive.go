// Package archive reads and writes Memoir's archives: a tar file, compressed with zstd. The same
// memories give the same bytes.
//
//	manifest.json                          {"format":"memoir-archive","version":1,"agents":[…]}; with "exchange":true between machines
//	agents/{slug}/tombstones.jsonl         one exchange.Tombstone a line
//	agents/{slug}/decisions.jsonl          one exchange.Decision a line
//	agents/{slug}/journal.jsonl            one exchange.Entry a line, oldest first
//	agents/{slug}/pending.jsonl            one exchange.Key a line; only between machines
//	agents/{slug}/index/MEMORY.md          as on disk; also index/team/MEMORY.md
//	agents/{slug}/memories/{n}.json        one exchange.Memory
//	end.json                               {"memories":N}; without it, the archive is incomplete
package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"memoir/internal/exchange"
)

const (
	format  = "memoir-archive"
	version = 1
	// MaxSize limits the uncompressed size of an archive, in bytes. Arbitrary.
	MaxSize = 4 << 30
)

type manifest struct {
	Format  string           `json:"format"`
	Version int              `json:"version"`
	Agents  []exchange.Agent `json:"agents"`
	// Exchange means that the archive is for another machine.
	Exchange bool `json:"exchange,omitempty"`
}

type end struct {
	Memories int `json:"memories"`
}

// Writer writes an archive. Its calls must be: BeginAgent for each agent in the order of NewWriter,
// each followed by Memory for its memories; then Close.
type Writer struct {
	compressed *zstd.Encoder
	tar        *tar.Writer
	slug       string
	n, total   int
}

// NewWriter begins an archive of the agents, of which only Slug and Layout are used. isExchange means
// that it is for another machine.
func NewWriter(to io.Writer, agents []exchange.Agent, isExchange bool) (*Writer, error) {
	// One goroutine, so that the bytes do not depend on the machine.
	compressed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{compressed: compressed, tar: tar.NewWriter(compressed)}
	return w, w.json("manifest.json", manifest{format, version, append([]exchange.Agent{}, agents...), isExchange})
}

// BeginAgent writes all of an agent but its memories.
func (w *Writer) BeginAgent(a exchange.Agent) error {
	w.slug, w.n = a.Slug, 0
	err := errors.Join(
		lines(w, "tombstones.jsonl", a.Tombstones), lines(w, "decisions.jsonl", a.Decisions), lines(w, "journal.jsonl", a.Journal), lines(w, "pending.jsonl", a.Pending),
	)
	for _, f := range a.Indexes {
		err = errors.Join(err, w.file(path.Join("agents", w.slug, "index", f.Path), f.Raw))
	}
	return err
}

// Memory writes a memory of the agent.
func (w *Writer) Memory(m exchange.Memory) error {
	w.n++
	w.total++
	return w.json(fmt.Sprintf("agents/%s/memories/%06d.json", w.slug, w.n), m)
}

// Close completes the archive.
func (w *Writer) Close() error {
	return errors.Join(w.json("end.json", end{w.total}), w.tar.Close(), w.compressed.Close())
}

func lines[T any](w *Writer, name string, all []T) error {
	if len(all) == 0 {
		return nil
	}
	var text bytes.Buffer
	encoder := newEncoder(&text)
	for _, v := range all {
		if err := encoder.Encode(v); err != nil {
			return err
		}
	}
	return w.file(path.Join("agents", w.slug, name), text.Bytes())
}

func (w *Writer) json(name string, v any) error {
	var text bytes.Buffer
	if err := newEncoder(&text).Encode(v); err != nil {
		return err
	}
	return w.file(name, text.Bytes())
}

func newEncoder(to io.Writer) *json.Encoder {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder
}

func (w *Writer) file(name string, raw []byte) error {
	header := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(raw)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := w.tar.Write(raw)
	return err
}

// ErrDamaged means that an archive is incomplete, or no archive of Memoir.
var ErrDamaged = errors.New("the archive is incomplete or damaged")

// IsArchive reports whether the files of a tar file, by their names, are an archive of Memoir.
func IsArchive(first string) bool { return first == "manifest.json" }

// Read reads a whole archive from an uncompressed tar file. It fails with an error that wraps
// ErrDamaged unless the archive is complete.
func Read(from io.Reader) ([]exchange.Agent, error) {
	r := tar.NewReader(from)
	var m manifest
	var agents []exchange.Agent
	at := map[string]*exchange.Agent{}
	total := 0
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: its end is missing", ErrDamaged)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		switch {
		case agents == nil && header.Name == "manifest.json":
			if err := json.Unmarshal(raw, &m); err != nil || m.Format != format {
				return nil, fmt.Errorf("%w: it has no manifest", ErrDamaged)
			}
			if m.Version > version {
				return nil, fmt.Errorf("the archive has version %d; this Memoir reads up to %d. Update Memoir", m.Version, version)
			}
			agents = append([]exchange.Agent{}, m.Agents...)
			for i := range agents {
				agents[i].IsExchange = m.Exchange
				at[agents[i].Slug] = &agents[i]
			}
		case header.Name == "end.json":
			var e end
			if err := json.Unmarshal(raw, &e); err != nil || e.Memories != total {
				return nil, fmt.Errorf("%w: it has %d memories, not %d", ErrDamaged, total, e.Memories)
			}
			return agents, nil
		default:
			parts := strings.SplitN(header.Name, "/", 3)
			if len(parts) < 3 || parts[0] != "agents" || at[parts[1]] == nil {
				return nil, fmt.Errorf("%w: unexpected file %q", ErrDamaged, header.Name)
			}
			n, err := readPart(at[parts[1]], parts[2], raw)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, header.Name, err)
			}
			total += n
		}
	}
}

// readPart adds one file to its agent, and returns the number of memories in it. A file that is
// unknown to this version is ignored.
func readPart(a *exchange.Agent, name string, raw []byte) (memories int, err error) {
	switch {
	case name == "tombstones.jsonl":
		a.Tombstones, err = readLines[exchange.Tombstone](raw)
	case name == "decisions.jsonl":
		a.Decisions, err = readLines[exchange.Decision](raw)
	case name == "journal.jsonl":
		a.Journal, err = readLines[exchange.Entry](raw)
	case name == "pending.jsonl":
		a.Pending, err = readLines[exchange.Key](raw)
	case strings.HasPrefix(name, "index/"):
		a.Indexes = append(a.Indexes, exchange.File{Path: strings.TrimPrefix(name, "index/"), Raw: raw})
	case strings.HasPrefix(name, "memories/"):
		var m exchange.Memory
		if err := json.Unmarshal(raw, &m); err != nil {
			return 0, err
		}
		if content := m.Content(); content == nil || content.Raw == nil {
			return 0, fmt.Errorf("memory %q has no content", m.Name)
		}
		a.Memories = append(a.Memories, m)
		return 1, nil
	}
	return 0, err
}

func readLines[T any](raw []byte) ([]T, error) {
	var all []T
	for decoder := json.NewDecoder(bytes.NewReader(raw)); ; {
		var v T
		switch err := decoder.Decode(&v); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, v)
	}
}
