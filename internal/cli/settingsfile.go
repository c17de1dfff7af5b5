package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"memoir/internal/agents"
	"memoir/internal/files"
)

// maxSettings is the largest settings file that is edited, in bytes. Arbitrary.
const maxSettings = 4 << 20

// settingsFile is a settings file of Claude Code, with its content when it was opened.
type settingsFile struct {
	path   string // as given, before links are followed
	root   *os.Root
	name   string // path of the file after links are followed, relative to root
	exists bool
	before []byte
}

// openSettings reads a settings file and opens its directory. It follows links. If the file is
// missing, exists is false and before is nil; if the directory is missing too, root is its
// innermost existing parent. The caller must close root. It returns an error if the file cannot be
// read or is larger than maxSettings.
func openSettings(at string) (*settingsFile, error) {
	real, err := throughLinks(at)
	if err != nil {
		return nil, err
	}
	// write creates missing directories, so root is the innermost existing one.
	dir := filepath.Dir(real)
	for !isDirectory(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	name, err := filepath.Rel(dir, real)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", at, err)
	}
	s := &settingsFile{path: at, root: root, name: filepath.ToSlash(name)}
	s.before, err = agents.ReadFile(root, s.name, maxSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err == nil && len(s.before) > maxSettings:
		err = fmt.Errorf("it is larger than %d MiB", maxSettings>>20)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("%s cannot be read and was not changed: %w", at, err)
	}
	s.exists = true
	return s, nil
}

// throughLinks returns the path at with symbolic links followed. If the file is missing, it returns
// at unchanged; if at itself is a link to a missing file, it returns an error.
func throughLinks(at string) (string, error) {
	real, err := filepath.EvalSymlinks(at)
	if err == nil {
		return real, nil
	}
	if info, failed := os.Lstat(at); failed == nil && info.Mode().Type() == fs.ModeSymlink {
		return "", fmt.Errorf("%s is a broken link and was not changed: %w", at, err)
	}
	return at, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// write replaces the file's content, or creates the file with its directories if it was missing. It
// returns an error for users, without a change, if the file is read-only or cannot be written. So
// it does if another process has changed or created the file since it was opened.
func (s *settingsFile) write(after []byte) error {
	options := files.Options{New: true}
	if s.exists {
		options = files.Options{IfHash: files.Hash(s.before)}
		info, err := s.root.Stat(s.name)
		if err == nil && info.Mode().Perm()&0o200 == 0 {
			return fmt.Errorf("%s is read-only and was not changed. Make it writable, or add the output of memoir hooks print to its source", s.path)
		}
	}
	err := files.Write(s.root, s.name, after, options)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrExists):
		return fmt.Errorf("%s has just changed and was not overwritten. Try again", s.path)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, files.ErrOwner):
		return fmt.Errorf("%s cannot be written and was not changed (%w). Make it writable, or paste the output of memoir hooks print", s.path, err)
	}
	return fmt.Errorf("%s could not be written: %w", s.path, err)
}
