package agents

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// sniffed is how much of a file is read to tell text from other data, in bytes. It is what Git reads for the same purpose.
const sniffed = 8000

// An Other is a file in a memory directory that is not Markdown by its name, and may be text that an agent has written.
type Other struct {
	Entry        // with the problem not_markdown, or that of its name
	real  string // where it is on disk
}

// IsOther reports whether a file of this name may be an Other. Files that programs keep for themselves are none: hidden, temporary,
// swap, backup and lock files, and those of a type that is never text.
func IsOther(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case isMarkdown(name), leftOut(name), lower == "lock", lower == "lockfile":
		return false
	case strings.HasPrefix(name, "~$"), strings.HasSuffix(name, "~"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return false
	}
	return !slices.Contains(programNames, lower) && !slices.Contains(programSuffixes, path.Ext(lower))
}

var (
	// programNames are files that operating systems and editors leave in directories.
	programNames = []string{"desktop.ini", "thumbs.db", "icon\r", "4913"}
	// programSuffixes are the endings of files that are temporary, or never text. Others are told apart by their bytes.
	programSuffixes = strings.Fields(`.swp .swo .swx .tmp .temp .part .partial .crdownload .lock .lck .pid .bak .orig .rej .old
		.db .db-wal .db-shm .db-journal .sqlite .sqlite3 .sqlite-wal .sqlite-shm .png .jpg .jpeg .gif .webp .ico .bmp .tiff .heic .pdf .zip .gz
		.tgz .bz2 .xz .zst .7z .tar .mp3 .mp4 .mov .wav .ogg .webm .so .dll .dylib .exe .bin .o .a .pyc .class .jar .wasm .woff .woff2 .ttf
		.otf .parquet .pkl .npy .docx .xlsx .pptx`)
)

// other notes a file that is not Markdown.
func (w *walker) other(d directory, it item, scope *scopeTree) {
	size := it.info.Size()
	if !scope.all || !it.info.Mode().IsRegular() || d.depth >= MaxDepth || size == 0 || size > memories.MaxFileSize || !IsOther(it.name) {
		return
	}
	entry := newEntry(d, it.name, it.info)
	if entry.Problem = notMarkdown(); !validName(it.name) {
		entry.Problem = nameNotUTF8()
	}
	w.listing.Others = append(w.listing.Others, Other{entry, w.real(d, it.name)})
}

// IsText reports whether a file is text, by its first bytes. It fails as Neighbours.Open does.
func (o Other) IsText(among *files.DirReader) (bool, error) {
	file, err := among.Open(o.real)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // only read
	head, err := io.ReadAll(io.LimitReader(file, sniffed))
	if err != nil {
		return false, err
	}
	return isText(head), nil
}

// isText reports whether bytes are the beginning of a text: in UTF-16 with a byte order mark, or in any encoding that keeps ASCII, without
// control characters.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return len(head)%2 == 0 || len(head) == sniffed
	}
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(b)) || b == 0x7f {
			return false
		}
	}
	return len(head) > 0
}

// AddOthers lists files among the memory files, and marks the rest as left out: they count as gone, though they are there.
func (l *Listing) AddOthers(listed []Other, leftOut []string) {
	for _, o := range listed {
		l.Files = append(l.Files, o.Entry)
	}
	*l = l.sorted()
	for _, relPath := range leftOut {
		l.leftOut[relPath] = true
	}
}

// IsWellKnown reports whether a file is by its name one that people and tools keep in any directory, and not a memory.
func IsWellKnown(relPath string) bool {
	return slices.Contains([]string{"claude.md", "readme.md", "agents.md"}, strings.ToLower(path.Base(relPath)))
}
