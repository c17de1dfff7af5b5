package importer

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"memoir/internal/exchange"
	"memoir/internal/exchange/archive"
	"memoir/internal/exchange/formats"
	"memoir/internal/memories"
)

// Input is what was read from a file.
type Input struct {
	Format  string // archive, markdown or json
	Agents  []exchange.Agent
	Skipped []formats.Skipped
}

// Limits of what an import reads into memory, in bytes and files. Arbitrary.
const (
	maxTree  = 1 << 30
	maxFiles = 200_000
)

// Read reads a file in any of the known formats, by its first bytes: an archive, a tar or zip file
// of Markdown files, one Markdown file, JSON, or one JSON value a line. It fails with
// *memories.InvalidError if it cannot.
func Read(file io.ReaderAt, size int64, o formats.Options) (Input, error) {
	in, err := read(file, size, o)
	if err == nil {
		return in, nil
	}
	reason := err.Error()
	if errors.Is(err, formats.ErrUnknown) {
		reason = "has no memories that Memoir can read; docs/EXCHANGE.md lists the formats"
	}
	return in, &memories.InvalidError{Field: "file", Reason: reason}
}

func read(file io.ReaderAt, size int64, o formats.Options) (Input, error) {
	raw := bufio.NewReader(io.NewSectionReader(file, 0, size))
	head, _ := raw.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(raw, zstd.WithDecoderMaxMemory(archive.MaxSize))
		if err != nil {
			return Input{}, err
		}
		defer d.Close()
		return readTar(d, o)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		d, err := gzip.NewReader(raw)
		if err != nil {
			return Input{}, err
		}
		first := bufio.NewReader(io.LimitReader(d, archive.MaxSize))
		if name, _ := first.Peek(262); len(name) == 262 && string(name[257:262]) == "ustar" {
			return readTar(first, o)
		}
		text, err := io.ReadAll(first)
		if err != nil {
			return Input{}, err
		}
		return readJSON(text, o)
	case bytes.HasPrefix(head, []byte("PK")):
		return readZip(file, size, o)
	}
	if start, _ := raw.Peek(262); len(start) == 262 && string(start[257:262]) == "ustar" {
		return readTar(raw, o)
	}
	text, err := io.ReadAll(io.LimitReader(raw, maxTree))
	if err != nil {
		return Input{}, err
	}
	if first := bytes.TrimSpace(text); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return readJSON(text, o)
	}
	if !memories.CanBeText(string(text)) {
		return Input{}, formats.ErrUnknown
	}
	name := cmp.Or(o.Name, memories.FileName("", formats.TitleOf(string(text))))
	if ext := strings.ToLower(path.Ext(name)); ext != ".md" && ext != ".markdown" {
		name += ".md"
	}
	return readTree([]formats.File{{Path: name, Raw: text}}, o)
}

func readJSON(text []byte, o formats.Options) (Input, error) {
	found, skipped, err := formats.JSON(text, o)
	return Input{"json", found, skipped}, err
}

func readTree(files []formats.File, o formats.Options) (Input, error) {
	// A directory may have an export of another program instead of Markdown.
	var jsons []formats.File
	hasMarkdown := false
	for _, f := range files {
		switch strings.ToLower(path.Ext(f.Path)) {
		case ".md", ".markdown":
			hasMarkdown = true
		case ".json", ".jsonl":
			jsons = append(jsons, f)
		}
	}
	if !hasMarkdown && len(jsons) > 0 {
		return readJSON(jsons[0].Raw, o)
	}
	found, skipped, err := formats.Tree(files, o)
	return Input{"markdown", found, skipped}, err
}

// tree collects the files of a tar or zip file within the limits.
type tree struct {
	files []formats.File
	size  int64
}

func (t *tree) add(f formats.File, from io.Reader) error {
	f.Path = path.Clean(strings.TrimLeft(strings.ReplaceAll(f.Path, `\`, "/"), "/"))
	for _, part := range strings.Split(f.Path, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" || part == "node_modules" {
			return nil
		}
	}
	switch strings.ToLower(path.Ext(f.Path)) {
	case ".md", ".markdown", ".json", ".jsonl":
	case ".gz":
		return nil // OpenMemory writes its memories a second time
	default:
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(from, maxTree-t.size+1))
	if err != nil {
		return err
	}
	if f.ModTime.Before(memories.KnownSince) {
		f.ModTime = time.Time{} // the archive states none
	}
	f.Raw = raw
	t.size += int64(len(raw))
	t.files = append(t.files, f)
	if t.size > maxTree || len(t.files) > maxFiles {
		return fmt.Errorf("has more than %d files or %d MiB; import parts of it", maxFiles, maxTree>>20)
	}
	return nil
}

func readTar(from io.Reader, o formats.Options) (Input, error) {
	buffered := bufio.NewReader(from)
	name, _ := buffered.Peek(100)
	if first, _, _ := bytes.Cut(name, []byte{0}); archive.IsArchive(string(first)) || isPAXManifest(buffered) {
		found, err := archive.Read(io.LimitReader(buffered, archive.MaxSize))
		return Input{"archive", found, nil}, err
	}
	t := &tree{}
	for r := tar.NewReader(buffered); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return readTree(t.files, o)
		}
		if err != nil {
			return Input{}, fmt.Errorf("is incomplete or damaged: %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := t.add(formats.File{Path: header.Name, ModTime: header.ModTime}, r); err != nil {
			return Input{}, err
		}
	}
}

// isPAXManifest reports whether a tar file begins with a PAX header before the manifest.
func isPAXManifest(r *bufio.Reader) bool {
	start, _ := r.Peek(1024 + 100)
	return len(start) > 1024 && start[156] == 'x' && bytes.HasPrefix(start[1024:], []byte("manifest.json\x00"))
}

func readZip(file io.ReaderAt, size int64, o formats.Options) (Input, error) {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return Input{}, fmt.Errorf("is incomplete or damaged: %w", err)
	}
	t := &tree{}
	for _, entry := range z.File {
		if entry.FileInfo().IsDir() {
			continue
		}
		from, err := entry.Open()
		if err != nil {
			return Input{}, err
		}
		err = t.add(formats.File{Path: entry.Name, ModTime: entry.Modified}, from)
		from.Close() //nolint:errcheck // only read
		if err != nil {
			return Input{}, err
		}
	}
	return readTree(t.files, o)
}
