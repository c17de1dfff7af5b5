package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	readmeName   = "README.txt"
	manifestName = "manifest.json"
	tablesDir    = "database"
	filesDir     = "files"
	// partSize is the size of the parts of a table, in bytes. It bounds the memory of a writer.
	partSize = 4 << 20
)

const readme = `This is a backup of Memoir. To restore it into an empty Memoir:

    memoir restore FILE

database/   the tables, as the text that COPY ... TO STDOUT of PostgreSQL gives, in parts
files/      the memory files of each agent, by its number in manifest.json
manifest.json   everything with its SHA-256

By hand: tar --zstd -xf FILE. A person with this file can read every memory.
`

// Writer writes a backup. The caller must call Close, else the backup is incomplete.
type Writer struct {
	zip      *zstd.Encoder
	tar      *tar.Writer
	manifest Manifest
	buffer   []byte
}

// NewWriter begins a backup on w. Of the manifest it takes Memoir, Schema and StartedAt.
func NewWriter(w io.Writer, about Manifest) (*Writer, error) {
	zip, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	b := &Writer{zip: zip, tar: tar.NewWriter(zip), manifest: Manifest{
		Format: Format, Memoir: about.Memoir, Schema: about.Schema, StartedAt: about.StartedAt.UTC(),
		Tables: []Table{}, Sequences: []Sequence{}, Agents: []Agent{}, LeftOut: []LeftOut{},
	}}
	return b, b.entry(readmeName, []byte(readme), b.manifest.StartedAt, 0o644)
}

// entry writes one entry of the tar.
func (b *Writer) entry(name string, data []byte, modified time.Time, mode uint32) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: int64(mode), ModTime: modified, Format: tar.FormatPAX}
	if err := b.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := b.tar.Write(data)
	return err
}

// Table writes a table. copyTo writes its rows and returns their number.
func (b *Writer) Table(name string, columns []string, copyTo func(io.Writer) (rows int64, err error)) error {
	if b.buffer == nil {
		b.buffer = make([]byte, 0, partSize)
	}
	parts := &partWriter{b: b, name: name, buffer: b.buffer[:0]}
	sum := sha256.New()
	rows, err := copyTo(io.MultiWriter(sum, parts))
	if err == nil {
		err = parts.flush()
	}
	if err != nil {
		return fmt.Errorf("back up table %s: %w", name, err)
	}
	b.manifest.Tables = append(b.manifest.Tables, Table{Name: name, Columns: columns, Rows: rows, Bytes: parts.bytes, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// partWriter writes what it gets as entries of at most partSize bytes.
type partWriter struct {
	b      *Writer
	name   string
	parts  int
	bytes  int64
	buffer []byte
}

func (w *partWriter) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		n := min(len(p), cap(w.buffer)-len(w.buffer))
		w.buffer = append(w.buffer, p[:n]...)
		written, p = written+n, p[n:]
		if len(w.buffer) == cap(w.buffer) {
			if err := w.flush(); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

func (w *partWriter) flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	err := w.b.entry(partName(w.name, w.parts), w.buffer, w.b.manifest.StartedAt, 0o644)
	w.parts++
	w.bytes += int64(len(w.buffer))
	w.buffer = w.buffer[:0]
	return err
}

func partName(table string, part int) string {
	return path.Join(tablesDir, fmt.Sprintf("%s.%06d", table, part))
}

// Sequences adds the states of sequences to the manifest.
func (b *Writer) Sequences(all []Sequence) {
	b.manifest.Sequences = append(b.manifest.Sequences, all...)
}

// Agent begins the files of an agent. Its Dirs and Files are ignored.
func (b *Writer) Agent(a Agent) {
	a.Dirs, a.Files = []Directory{}, []File{}
	b.manifest.Agents = append(b.manifest.Agents, a)
}

// Directory adds a directory of the last agent.
func (b *Writer) Directory(d Directory) {
	a := &b.manifest.Agents[len(b.manifest.Agents)-1]
	a.Dirs = append(a.Dirs, d)
}

// File writes a file of the last agent. Its Size and SHA256 are those of data.
func (b *Writer) File(f File, data []byte) error {
	at := len(b.manifest.Agents) - 1
	sum := sha256.Sum256(data)
	f.Size, f.SHA256, f.ModifiedAt = int64(len(data)), hex.EncodeToString(sum[:]), f.ModifiedAt.UTC()
	if err := b.entry(fileName(at, f.Path), data, f.ModifiedAt, f.Mode); err != nil {
		return err
	}
	b.manifest.Agents[at].Files = append(b.manifest.Agents[at].Files, f)
	return nil
}

func fileName(agent int, escaped string) string {
	return filesDir + "/" + strconv.Itoa(agent) + "/" + escaped
}

// LeaveOut notes a path that is not in the backup. It is absolute and not escaped.
func (b *Writer) LeaveOut(at, reason string) {
	b.manifest.LeftOut = append(b.manifest.LeftOut, LeftOut{Path: EscapePath(at), Reason: reason})
}

// Close writes the manifest and ends the backup. It does not close the writer below.
func (b *Writer) Close() (Manifest, error) {
	text, err := json.MarshalIndent(b.manifest, "", " ")
	if err != nil {
		return Manifest{}, err
	}
	if err := b.entry(manifestName, text, b.manifest.StartedAt, 0o644); err != nil {
		return Manifest{}, err
	}
	if err := b.tar.Close(); err != nil {
		return Manifest{}, err
	}
	return b.manifest, b.zip.Close()
}
