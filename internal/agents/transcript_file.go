package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/files"
)

// TranscriptError means that a transcript may not be read, or is not there.
type TranscriptError struct {
	Reason string
	// Unseen reports whether another server can read it, with a disk or settings of its own.
	Unseen bool
}

// Error returns the reason.
func (e *TranscriptError) Error() string { return e.Reason }

// TranscriptPath returns the real path of a transcript that may be read: a .jsonl file beneath
// projects/ in the directory of Claude Code. It fails with *TranscriptError for every other path.
// Links can change afterwards, so OpenTranscript checks again.
func TranscriptPath(claudeDir, path string) (string, error) {
	_, relative, err := locateTranscript(claudeDir, path)
	if err != nil {
		return "", err
	}
	return filepath.Join(claudeDir, projectsDir, relative), nil
}

// OpenTranscript opens a transcript that may be read. It fails with *TranscriptError as
// TranscriptPath does, and for everything but regular files.
func OpenTranscript(claudeDir, path string) (*os.File, error) {
	projects, relative, err := locateTranscript(claudeDir, path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(projects)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := files.Open(root, filepath.ToSlash(relative))
	switch {
	case errors.Is(err, files.ErrNotRegular):
		return nil, &TranscriptError{Reason: "is no regular file"}
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, fs.ErrNotExist):
		return nil, &TranscriptError{"is not there", true}
	}
	return file, err
}

// locateTranscript returns the real directory of all transcripts, and the path of one in it.
func locateTranscript(claudeDir, path string) (projects, relative string, err error) {
	if claudeDir == "" {
		return "", "", &TranscriptError{"is not read: the directory of Claude Code is switched off here", true}
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) || filepath.Ext(path) != transcriptExt {
		return "", "", &TranscriptError{Reason: "is no absolute path of a .jsonl file"}
	}
	dir := filepath.Join(claudeDir, projectsDir)
	if projects, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", &TranscriptError{"is not read: there is no directory " + dir, true}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", "", &TranscriptError{"is not there", true}
	}
	relative, err = filepath.Rel(projects, real)
	if err != nil || !filepath.IsLocal(relative) || filepath.Ext(real) != transcriptExt {
		reason := "is not under " + dir + ", where the transcripts of Claude Code are"
		return "", "", &TranscriptError{reason, true}
	}
	return projects, relative, nil
}
