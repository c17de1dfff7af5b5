package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxManifest limits the manifest, in bytes. One of a million files has 200 MB.
const maxManifest = 1 << 30

// Item is one table or file of a backup.
type Item struct {
	Table string // name of the table; empty for a file
	Agent int    // number of the file's agent
	Path  string // of the file, escaped
	io.Reader
}

// Reader reads a backup from its beginning. It checks the format, and leaves the sums to Verify.
type Reader struct {
	zip  *zstd.Decoder
	tar  *tar.Reader
	next *tar.Header // read, and not yet returned
	open *tableReader
	// Manifest is set when Next has returned io.EOF.
	Manifest Manifest
}

// NewReader reads the beginning of a backup. It fails with ErrNotBackup. The caller must call Close.
func NewReader(r io.Reader) (*Reader, error) {
	zip, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	b := &Reader{zip: zip, tar: tar.NewReader(zip)}
	first, err := b.tar.Next()
	if err != nil || first.Name != readmeName {
		zip.Close()
		return nil, ErrNotBackup
	}
	return b, nil
}

// Close releases the reader. It does not close the reader below.
func (b *Reader) Close() { b.zip.Close() }

// Next returns the next table or file. It skips the rest of the last one. After the manifest it
// returns io.EOF. It fails with ErrDamaged or ErrNewer.
func (b *Reader) Next() (Item, error) {
	if b.open != nil {
		if _, err := io.Copy(io.Discard, b.open); err != nil {
			return Item{}, err
		}
		b.open = nil
	}
	header, err := b.header()
	if err != nil {
		return Item{}, damaged(err)
	}
	switch {
	case header.Name == manifestName:
		if err := b.readManifest(); err != nil {
			return Item{}, err
		}
		return Item{}, io.EOF
	case header.Typeflag != tar.TypeReg:
	case strings.HasPrefix(header.Name, tablesDir+"/"):
		name, part, _ := strings.Cut(strings.TrimPrefix(header.Name, tablesDir+"/"), ".")
		if part == "000000" {
			b.open = &tableReader{b: b, name: name}
			return Item{Table: name, Reader: b.open}, nil
		}
	case strings.HasPrefix(header.Name, filesDir+"/"):
		number, name, _ := strings.Cut(strings.TrimPrefix(header.Name, filesDir+"/"), "/")
		agent, err := strconv.Atoi(number)
		if err == nil && agent >= 0 && isLocal(name) {
			return Item{Agent: agent, Path: name, Reader: damagedReader{b.tar}}, nil
		}
	}
	return Item{}, fmt.Errorf("%w: unexpected entry %q", ErrDamaged, header.Name)
}

func (b *Reader) header() (*tar.Header, error) {
	if header := b.next; header != nil {
		b.next = nil
		return header, nil
	}
	return b.tar.Next()
}

// readManifest reads the manifest and checks that nothing follows it.
func (b *Reader) readManifest() error {
	text, err := io.ReadAll(io.LimitReader(b.tar, maxManifest))
	if err != nil {
		return damaged(err)
	}
	var format struct{ Format int }
	if err := json.Unmarshal(text, &format); err != nil {
		return fmt.Errorf("%w: manifest: %w", ErrDamaged, err)
	}
	if format.Format > Format {
		return fmt.Errorf("%w: it is format %d, and this Memoir reads up to %d. Restore it with the newer Memoir", ErrNewer, format.Format, Format)
	}
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("%w: manifest: %w", ErrDamaged, err)
	}
	if _, err := b.tar.Next(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something follows the manifest", ErrDamaged)
	}
	rest, err := io.ReadAll(io.LimitReader(b.zip, 1))
	if err != nil {
		return damaged(err)
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: something follows the archive", ErrDamaged)
	}
	return nil
}

// tableReader reads the parts of a table as one text.
type tableReader struct {
	b    *Reader
	name string
	part int
	done bool
}

func (t *tableReader) Read(p []byte) (int, error) {
	for !t.done {
		n, err := t.b.tar.Read(p)
		switch {
		case n > 0:
			return n, nil
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			return 0, damaged(err)
		}
		header, err := t.b.tar.Next()
		if err != nil {
			return 0, damaged(err)
		}
		if t.part++; header.Name != partName(t.name, t.part) {
			t.b.next, t.done = header, true
		}
	}
	return 0, io.EOF
}

// damagedReader translates the errors of reading an entry.
type damagedReader struct{ io.Reader }

func (r damagedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged(err)
	}
	return n, err
}

// damaged returns the error of reading an archive, with ErrDamaged. io.EOF means that it is cut
// short.
func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// Verify reads a whole backup, compares everything with the manifest, and returns the manifest. It
// fails with ErrNotBackup, ErrDamaged or ErrNewer.
func Verify(r io.Reader) (Manifest, error) {
	b, err := NewReader(r)
	if err != nil {
		return Manifest{}, err
	}
	defer b.Close()
	var tables []Table
	files := map[int][]File{}
	for {
		item, err := b.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Manifest{}, err
		}
		sum := counter{Hash: sha256.New()}
		if _, err := io.Copy(&sum, item); err != nil {
			return Manifest{}, err
		}
		digest := hex.EncodeToString(sum.Sum(nil))
		if item.Table != "" {
			tables = append(tables, Table{Name: item.Table, Bytes: sum.bytes, Rows: sum.lines, SHA256: digest})
		} else {
			files[item.Agent] = append(files[item.Agent], File{Path: item.Path, Size: sum.bytes, SHA256: digest})
		}
	}
	return b.Manifest, check(b.Manifest, tables, files)
}

// counter is a hash that also counts.
type counter struct {
	hash.Hash
	bytes, lines int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.lines += int64(bytes.Count(p, []byte{'\n'}))
	return c.Hash.Write(p)
}

// check compares the content that was read with the manifest.
func check(m Manifest, tables []Table, files map[int][]File) error {
	wrong := func(what string) error { return fmt.Errorf("%w: %s differs from the manifest", ErrDamaged, what) }
	if m.Format < 1 || m.Schema < 1 {
		return wrong("the version")
	}
	at := 0
	for _, t := range m.Tables {
		if t.Bytes == 0 { // a table without rows has no part
			if t.Rows != 0 {
				return wrong("table " + t.Name)
			}
			continue
		}
		// COPY writes one line a row.
		if at == len(tables) || tables[at].Name != t.Name || tables[at].SHA256 != t.SHA256 || tables[at].Bytes != t.Bytes || tables[at].Rows != t.Rows {
			return wrong("table " + t.Name)
		}
		at++
	}
	if at != len(tables) {
		return wrong("the list of tables")
	}
	for i, a := range m.Agents {
		if len(files[i]) != len(a.Files) || !filepath.IsAbs(a.Dir) {
			return wrong("agent " + a.Slug)
		}
		for j, f := range a.Files {
			if got := files[i][j]; got.Path != f.Path || got.Size != f.Size || got.SHA256 != f.SHA256 {
				return wrong("file " + f.Path)
			}
		}
		for _, d := range a.Dirs {
			if d.Path != "." && !isLocal(d.Path) {
				return wrong("directory " + d.Path)
			}
		}
		delete(files, i)
	}
	if len(files) > 0 {
		return wrong("the list of files")
	}
	return nil
}
