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
	// maxPlaces is how many files with the same end of their path are told apart.
	maxPlaces = 4
	// maxDepth is how deep the walk goes: no project is deeper, and each level takes a system call for whatever is below it.
	maxDepth = 40
	// binaryHead is where a NUL tells that a file is no text, in bytes; git looks as far.
	binaryHead = 8000
	// listedAtOnce is how many entries of a directory are in memory.
	listedAtOnce = 256
)

var (
	// notWalked are directories of other people's code, which a project does not speak about as its own.
	notWalked = setOf(`node_modules vendor bower_components __pycache__ venv`)
	// hiddenWalked are hidden directories that hold code.
	hiddenWalked = setOf(`.github .gitlab .circleci`)
	// madeByBuilds are directories whose contents come and go.
	madeByBuilds = setOf(`node_modules bower_components dist build out target bin coverage tmp temp .cache .next .nuxt .venv venv __pycache__`)
	// notText are the ends of files that are not opened to find that out.
	notText = setOf(`png jpg jpeg gif ico webp avif bmp tif tiff psd pdf zip gz tgz bz2 xz zst 7z rar tar jar war class pyc pyo o a so dylib dll
		exe bin wasm woff woff2 ttf otf eot mp3 mp4 m4a mov avi webm wav ogg flac db sqlite sqlite3 parquet onnx pt npy npz`)
)

// search is one walk over a project: for paths that were not where they are cited, and for names.
type search struct {
	ctx     context.Context
	project Project
	limits  Limits
	own     string // the agent's memories, relative to the project; empty: they are elsewhere
	ignored ignored
	names   names

	wanted map[string][]string // paths to look for, in lower case, by their last element
	open   int                 // paths that are not found yet
	paths  map[string][]string // where they are, at most maxPlaces each
	// What the project has besides, which tells whether a citation is about it.
	directories map[string]bool // in lower case
	extensions  map[string]bool

	entries, files int
	read           int64 // bytes
	searched       int   // files
	walkedAll      bool  // every directory was listed
	readAll        bool  // and every source was read
	late           bool  // there was no time for all of it
	full           bool  // as much was read as may be
}

func newSearch(ctx context.Context, project Project, limits Limits) *search {
	s := &search{
		ctx: ctx, project: project, limits: limits, names: newNames(), wanted: map[string][]string{}, paths: map[string][]string{},
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

func (s *search) wantPath(rel string) {
	rel = strings.ToLower(rel)
	if _, known := s.paths[rel]; known {
		return
	}
	s.paths[rel] = nil
	base := path.Base(rel)
	s.wanted[base] = append(s.wanted[base], rel)
	s.open++
}

func (s *search) wantFunction(one Citation) {
	s.names.wantFunction(one.Name)
	if one.Qualifier != "" {
		s.names.wantQualifier(one.Qualifier)
	}
}

func (s *search) wantFlag(name string) { s.names.wantFlag(name) }

// done reports whether nothing is left to be found.
func (s *search) done() bool { return s.open == 0 && (s.names.open == 0 || s.full) }

// walk goes over the project, the directories near its root first, until all is found or a limit is reached.
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

// directory looks at what is in a directory, and returns the directories in it. goOn is false once a limit is reached.
func (s *search) directory(dir string, buffer []byte) (below []string, goOn bool) {
	root, err := s.project.Root.OpenRoot(dir)
	if err != nil {
		s.missed() // also when it has just gone: what was in it may be elsewhere now
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
				s.seen(rel) // what it leads to is looked at where it is, if that is here
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

// missed notes that a part of the project could not be looked at.
func (s *search) missed() { s.walkedAll, s.readAll = false, false }

func (s *search) walks(rel, name string) bool {
	return !notWalked[name] && (!isHidden(name) || hiddenWalked[name]) && rel != s.own && !s.ignored.has(rel)
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// seen notes a path for whatever is cited that ends like it.
func (s *search) seen(rel string) {
	lower := strings.ToLower(rel)
	base := path.Base(lower)
	for _, wanted := range s.wanted[base] {
		if lower != wanted && !strings.HasSuffix(lower, "/"+wanted) {
			continue
		}
		if len(s.paths[wanted]) == 0 {
			s.open--
		}
		if len(s.paths[wanted]) < maxPlaces {
			s.paths[wanted] = append(s.paths[wanted], rel)
		}
	}
	stem, _, _ := strings.Cut(path.Base(rel), ".")
	s.names.declare(stem)
}

// file searches a file for names.
func (s *search) file(root *os.Root, name string, buffer []byte) {
	if s.names.open == 0 || s.full || notText[extension(name)] {
		return
	}
	file, err := files.Open(root, name)
	if err != nil {
		// One that has become something else meanwhile is as little of the project's code as one that was so before.
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
		s.readAll = s.readAll && !isSource(name) // data has no names of functions
		return
	}
	if s.read+info.Size() > s.limits.Bytes {
		s.readAll, s.full = false, true
		return
	}
	n, err := io.ReadFull(file, buffer)
	s.read += int64(n)
	switch {
	case err == nil, !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF): // it has grown, or cannot be read
		s.readAll = false
		return
	case bytes.IndexByte(buffer[:min(n, binaryHead)], 0) >= 0:
		return
	}
	s.searched++
	s.names.find(buffer[:n])
}

// why says why not all was searched.
func (s *search) why() string {
	if s.late {
		return tooLong
	}
	return notSearched
}
