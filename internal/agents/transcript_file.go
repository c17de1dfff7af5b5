package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/files"
)

// TranscriptError means that a transcript may not be read or does not exist.
type TranscriptError struct {
	Reason string
	// Unseen reports whether another server, with another disk or settings, may be able to read it.
	Unseen bool
}

// Error returns the reason.
func (e *TranscriptError) Error() string { return e.Reason }

// TranscriptPath returns the path of a transcript that may be read, with links below projects/
// followed. It must be an existing .jsonl file below projects/ in claudeDir. For every other path
// the error is a *TranscriptError. It does not check that the file is regular. OpenTranscript
// checks again, because links can change after this call.
func TranscriptPath(claudeDir, path string) (string, error) {
	_, relative, err := locateTranscript(claudeDir, path)
	if err != nil {
		return "", err
	}
	return filepath.Join(claudeDir, projectsDir, relative), nil
}

// OpenTranscript opens a transcript that may be read. The error is a *TranscriptError for a path
// that TranscriptPath rejects, and for a file that is missing or not regular. Other errors are from
// opening the file. The caller must close the file.
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
		return nil, &TranscriptError{Reason: "is not a regular file"}
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, fs.ErrNotExist):
		return nil, &TranscriptError{"does not exist", true}
	}
	return file, err
}

// locateTranscript returns the real path of projects/ in claudeDir, and the path of a transcript
// relative to it, with links followed. The error is a *TranscriptError if the transcript may not be
// read or does not exist.
func locateTranscript(claudeDir, path string) (projects, relative string, err error) {
	if claudeDir == "" {
		return "", "", &TranscriptError{"is not read: no directory of Claude Code is configured", true}
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) || filepath.Ext(path) != transcriptExt {
		return "", "", &TranscriptError{Reason: "is not an absolute path of a .jsonl file"}
	}
	dir := filepath.Join(claudeDir, projectsDir)
	if projects, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", &TranscriptError{"is not read: no directory " + dir, true}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", "", &TranscriptError{"does not exist", true}
	}
	relative, err = filepath.Rel(projects, real)
	if err != nil || !filepath.IsLocal(relative) || filepath.Ext(real) != transcriptExt {
		reason := "is not under " + dir + ", where the transcripts of Claude Code are"
		return "", "", &TranscriptError{reason, true}
	}
	return projects, relative, nil
}
