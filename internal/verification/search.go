package verification

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"memoir/internal/files"
)

const (
	// maxPlaces is the maximum number of matches recorded for one path (arbitrary).
	maxPlaces = 4
	// maxDepth is the maximum depth of the walk (arbitrary). No known project is deeper.
	maxDepth = 40
	// binaryHead is the size of the head where a NUL means a binary file, in bytes, as in git.
	binaryHead = 8000
	// listedAtOnce is how many directory entries are read at once (arbitrary).
	listedAtOnce = 256
)

var (
	// notWalked are directories of third-party code.
	notWalked = setOf(`node_modules vendor bower_components __pycache__ venv`)
	// hiddenWalked are hidden directories with code.
	hiddenWalked = setOf(`.github .gitlab .circleci`)
	// madeByBuilds are directories whose contents are generated.
	madeByBuilds = setOf(`node_modules bower_components dist build out target bin coverage tmp temp .cache .next .nuxt .venv venv __pycache__`)
	// notText are extensions of binary files, which are not opened.
	notText = setOf(`png jpg jpeg gif ico webp avif bmp tif tiff psd pdf zip gz tgz bz2 xz zst 7z rar tar jar war class pyc pyo o a so dylib dll
		exe bin wasm woff woff2 ttf otf eot mp3 mp4 m4a mov avi webm wav ogg flac db sqlite sqlite3 parquet onnx pt npy npz`)
)

// search is one walk over a project, for paths missing at their place and for names.
type search struct {
	ctx     context.Context
	project Project
	limits  Limits
	own     string // memories' path relative to the project; empty if outside
	ignored ignored
	names   names

	requested map[string][]string // requested paths in lower case, by last element
	open      int                 // number of paths not found yet
	paths     map[string][]string // matches of requested paths, at most maxPlaces each
	// Facts about the project, which show whether a citation belongs to it.
	directories map[string]bool // in lower case
	extensions  map[string]bool

	entries, files int
	read           int64 // bytes read
	searched       int   // number of files searched
	walkedAll      bool  // all directories were listed
	readAll        bool  // all directories were listed and all sources were read
	late           bool  // the time limit was reached
	full           bool  // the limit of bytes was reached
}

func newSearch(ctx context.Context, project Project, limits Limits) *search {
	s := &search{
		ctx: ctx, project: project, limits: limits, names: names{found: map[string]bool{}, declared: map[string]bool{}}, requested: map[string][]string{}, paths: map[string][]string{},
		directories: map[string]bool{}, extensions: map[string]bool{}, ignored: readIgnored(project.Root),
	}
	for _, name := range projectNames(project.Root) {
		own := project.Own
		if real, err := filepath.EvalSymlinks(own); err == nil {
			own = real
		}
		if rel, err := filepath.Rel(name, own); err == nil && rel != "." && filepath.IsLocal(rel) {
			s.own = filepath.ToSlash(rel)
		}
	}
	return s
}

// wantPath adds a path to the search. The search then matches paths in the project that equal it
// or end with it after a slash, in any case.
func (s *search) wantPath(rel string) {
	rel = strings.ToLower(rel)
	if _, known := s.paths[rel]; known {
		return
	}
	s.paths[rel] = nil
	base := path.Base(rel)
	s.requested[base] = append(s.requested[base], rel)
	s.open++
}

// done reports whether the search can end: all paths are found, and all names are found or the
// limit of bytes is reached.
func (s *search) done() bool { return s.open == 0 && (s.names.open == 0 || s.full) }

// walk visits the project breadth-first, until all paths and names are found or a limit is
// reached. Then walkedAll is false if a directory was missed, and readAll also if code was not
// read. Without anything to search it does nothing, and both stay false.
func (s *search) walk() {
	if s.done() {
		return
	}
	s.walkedAll, s.readAll = true, true
	buffer := make([]byte, s.limits.FileSize+1)
	pending := []string{"."}
	for len(pending) > 0 && !s.done() {
		dir := pending[0]
		pending = pending[1:]
		below, goOn := s.directory(dir, buffer)
		if !goOn {
			s.walkedAll, s.readAll = false, false
			return
		}
		pending = append(pending, below...)
	}
}

// directory records the entries of a directory, searches its files for names, and returns the
// subdirectories to visit. goOn is false if a limit of entries or time was reached; below is nil
// then. It skips hidden, ignored and third-party directories and hidden files. It records a link
// itself, but does not follow it. If it cannot read the directory, it calls missed and goOn is
// true.
func (s *search) directory(dir string, buffer []byte) (below []string, goOn bool) {
	root, err := s.project.Root.OpenRoot(dir)
	if err != nil {
		s.missed() // also after a removal: the content may have moved
		return nil, true
	}
	defer root.Close()
	handle, err := root.Open(".")
	if err != nil {
		s.missed()
		return nil, true
	}
	defer handle.Close()
	for {
		entries, err := handle.ReadDir(listedAtOnce)
		for _, entry := range entries {
			if s.entries++; s.entries > s.limits.Entries || s.ctx.Err() != nil {
				s.late = s.ctx.Err() != nil
				return nil, false
			}
			rel := path.Join(dir, entry.Name())
			switch {
			case entry.IsDir() && s.walks(rel, entry.Name()):
				s.seen(rel)
				s.directories[strings.ToLower(entry.Name())] = true
				if strings.Count(rel, "/") >= maxDepth {
					s.missed()
					continue
				}
				below = append(below, rel)
			case entry.Type().IsRegular() && !isHidden(entry.Name()) && rel != s.own:
				s.files++
				s.seen(rel)
				s.extensions[extension(entry.Name())] = true
				s.file(root, entry.Name(), buffer)
			case entry.Type()&fs.ModeSymlink != 0:
				s.seen(rel) // its target is visited at its own place
			}
		}
		if err == io.EOF {
			return below, true
		}
		if err != nil {
			s.missed()
			return below, true
		}
	}
}

// missed records that the search is incomplete, because a part of the project could not be visited.
func (s *search) missed() { s.walkedAll, s.readAll = false, false }

// walks reports whether a directory is visited. Third-party code, ignored directories and the
// agent's memories are not visited. Hidden directories are not either, except those in
// hiddenWalked.
func (s *search) walks(rel, name string) bool {
	return !notWalked[name] && (!isHidden(name) || hiddenWalked[name]) && rel != s.own && !s.ignored.has(rel)
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// seen records a path in the project as a match of each requested path that equals it or its last
// elements, in any case. It records at most maxPlaces for each. It declares the path's last
// element without extension.
func (s *search) seen(rel string) {
	lower := strings.ToLower(rel)
	base := path.Base(lower)
	for _, suffix := range s.requested[base] {
		if lower != suffix && !strings.HasSuffix(lower, "/"+suffix) {
			continue
		}
		if len(s.paths[suffix]) == 0 {
			s.open--
		}
		if len(s.paths[suffix]) < maxPlaces {
			s.paths[suffix] = append(s.paths[suffix], rel)
		}
	}
	stem, _, _ := strings.Cut(path.Base(rel), ".")
	if _, isSearched := s.names.declared[stem]; isSearched {
		s.names.declared[stem] = true
	}
}

// file searches a file for the names that are not found yet. It skips binary files, and files over
// the limit of size. If it cannot search a file that may contain code, it clears readAll. At the
// limit of bytes it also sets full, and later calls do nothing.
func (s *search) file(root *os.Root, name string, buffer []byte) {
	if s.names.open == 0 || s.full || notText[extension(name)] {
		return
	}
	file, err := files.Open(root, name)
	if err != nil {
		// A file that is no longer regular is no code of the project.
		s.readAll = s.readAll && errors.Is(err, files.ErrNotRegular)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		s.readAll = false
		return
	}
	if info.Size() > s.limits.FileSize {
		s.readAll = s.readAll && !isSource(name) // data contains no names of functions
		return
	}
	if s.read+info.Size() > s.limits.Bytes {
		s.readAll, s.full = false, true
		return
	}
	n, err := io.ReadFull(file, buffer)
	s.read += int64(n)
	switch {
	// too large now, or unreadable
	case err == nil, !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		s.readAll = false
		return
	case bytes.IndexByte(buffer[:min(n, binaryHead)], 0) >= 0:
		return
	}
	s.searched++
	s.names.find(buffer[:n])
}

func (s *search) why() string {
	if s.late {
		return reasonTime
	}
	return reasonIncomplete
}
