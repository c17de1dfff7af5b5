package agents

import (
	"bytes"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// maxTextHead is how many bytes of a file are read to decide whether it is text. Git reads as many.
const maxTextHead = 8000

// An Other is a file in a memory directory whose name does not end in .md. It may be text that an
// agent wrote.
type Other struct {
	Entry        // with the problem not_markdown, or file_name_not_utf8
	real  string // path with all links followed
}

// IsOther reports whether a file of this name may be an Other. Markdown files are not, and files of
// programs are not: hidden, temporary, swap, backup and lock files, and types that are never text.
func IsOther(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case isMarkdown(name), isIgnored(name), lower == "lock", lower == "lockfile":
		return false
	case strings.HasPrefix(name, "~$"), strings.HasSuffix(name, "~"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return false
	}
	return !slices.Contains(programNames, lower) && !slices.Contains(programSuffixes, path.Ext(lower))
}

var (
	// programNames are files that operating systems and editors create in directories.
	programNames = []string{"desktop.ini", "thumbs.db", "icon\r", "4913"}
	// programSuffixes are extensions of files that are temporary or never text. IsText examines the
	// bytes of all others.
	programSuffixes = strings.Fields(`.swp .swo .swx .tmp .temp .part .partial .crdownload .lock .lck .pid .bak .orig .rej .old
		.db .db-wal .db-shm .db-journal .sqlite .sqlite3 .sqlite-wal .sqlite-shm .png .jpg .jpeg .gif .webp .ico .bmp .tiff .heic .pdf .zip .gz
		.tgz .bz2 .xz .zst .7z .tar .mp3 .mp4 .mov .wav .ogg .webm .so .dll .dylib .exe .bin .o .a .pyc .class .jar .wasm .woff .woff2 .ttf
		.otf .parquet .pkl .npy .docx .xlsx .pptx`)
)

// other adds a file that is not Markdown to listing.Others, with a problem, if it may be text. It
// must be a regular file, not empty, at most MaxFileSize, not too deep, and have a name that
// IsOther accepts. An agent whose memories Memoir only reads has none. Only a file that the scope
// includes itself counts.
func (w *walker) other(d directory, it item, scope *scopeTree) {
	size := it.info.Size()
	if w.agent.Rules().Keeper != "" || !scope.all || !it.info.Mode().IsRegular() || d.depth >= MaxDepth || size == 0 || size > memories.MaxFileSize || !IsOther(it.name) {
		return
	}
	entry := newEntry(d, it.name, it.info)
	if entry.Problem = notMarkdown; !validName(it.name) {
		entry.Problem = nameNotUTF8
	}
	w.listing.Others = append(w.listing.Others, Other{entry, path.Join(d.real, it.name)})
}

// IsText reports whether the first maxTextHead bytes of the file are text. An empty file is not
// text. The errors are those of [files.Open] and of reading.
func (o Other) IsText(root *os.Root) (bool, error) {
	file, err := files.Open(root, o.real)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // only read
	head, err := io.ReadAll(io.LimitReader(file, maxTextHead))
	if err != nil {
		return false, err
	}
	return isText(head), nil
}

// isText reports whether head is the start of a text. A text is UTF-16 with a byte order mark, or
// in an encoding that contains ASCII. The latter must not have control characters other than white
// space and ESC. An empty head is not text.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return len(head)%2 == 0 || len(head) == maxTextHead
	}
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(b)) || b == 0x7f {
			return false
		}
	}
	return len(head) > 0
}

// AddOthers adds listed to Files, which it sorts again. It records leftOut as omitted: Gone returns
// these paths although their files exist.
func (l *Listing) AddOthers(listed []Other, leftOut []string) {
	for _, o := range listed {
		l.Files = append(l.Files, o.Entry)
	}
	*l = l.sorted()
	for _, relPath := range leftOut {
		l.omitted[relPath] = true
	}
}

// IsWellKnown reports whether the last element of a path is README.md, CLAUDE.md or AGENTS.md, in
// any letter case. Such files are usual in any directory and are not memories.
func IsWellKnown(relPath string) bool {
	return slices.Contains([]string{"claude.md", "readme.md", "agents.md"}, strings.ToLower(path.Base(relPath)))
}
