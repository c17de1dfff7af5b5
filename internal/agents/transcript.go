package agents

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"memoir/internal/files"
	"memoir/internal/transcript"
)

const (
	// A transcript can have hundreds of megabytes, and names its working directory in one of its first lines.
	transcriptHead = 256 << 10
	// A session that was never used has a transcript without a working directory; a few of them in a row are possible.
	transcriptsRead = 3
)

// projectName returns the real path of a project of Claude Code, which its directory's name does not tell: the working
// directory of its newest transcript, or the ancestor of it that the directory is named after. Without one it is the
// directory's name. failed is told what could not be opened.
func projectName(project string, failed func(error)) string {
	name := filepath.Base(project)
	root, err := os.OpenRoot(project)
	if err != nil {
		failed(err)
		return printable(name)
	}
	defer root.Close()
	for _, newest := range newestTranscripts(root, failed) {
		if cwd := workingDirectory(root, newest, failed); cwd != "" {
			return printable(projectRoot(cwd, name))
		}
	}
	return printable(name)
}

// newestTranscripts returns the names of the few transcripts modified last, newest first.
func newestTranscripts(root *os.Root, failed func(error)) []string {
	dir, err := root.Open(".")
	if err != nil {
		failed(err)
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1) // what was read before an error serves as well

	var transcripts []fs.FileInfo
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".jsonl" {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			transcripts = append(transcripts, info)
		}
	}
	slices.SortFunc(transcripts, func(a, b fs.FileInfo) int {
		if order := b.ModTime().Compare(a.ModTime()); order != 0 {
			return order
		}
		return strings.Compare(a.Name(), b.Name())
	})

	var names []string
	for _, info := range transcripts[:min(len(transcripts), transcriptsRead)] {
		names = append(names, info.Name())
	}
	return names
}

// workingDirectory returns the first cwd in the head of a transcript, or "".
func workingDirectory(root *os.Root, name string, failed func(error)) string {
	file, err := files.Open(root, name)
	if err != nil {
		failed(err)
		return ""
	}
	defer file.Close()
	return transcript.WorkingDirectory(io.LimitReader(file, transcriptHead))
}

// projectRoot returns the directory at or above cwd that Claude Code names name, or cwd: a session may have been started in
// a directory below its repository's root.
func projectRoot(cwd, name string) string {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if fits(name, projectDirName(dir)) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return cwd
		}
	}
}

// maxProjectName is how many units of a path Claude Code takes into the name of a project's directory. A longer path is cut
// there and gets a hash that nobody else can compute.
const maxProjectName = 200

// fits reports whether a directory of this name is what Claude Code keeps for the project whose projectDirName is whole. Of one
// of more than 200 units only those tell, and the directories of several projects may fit.
func fits(name, whole string) bool {
	if len(whole) <= maxProjectName {
		return name == whole
	}
	return len(name) > maxProjectName && strings.HasPrefix(name, whole[:maxProjectName])
}

// projectDirName is how Claude Code names a project's directory, before it is cut: every UTF-16 unit of its path outside a to
// z, A to Z and 0 to 9 becomes a dash.
func projectDirName(dir string) string {
	var name strings.Builder
	for _, unit := range utf16.Encode([]rune(dir)) {
		switch {
		case 'a' <= unit && unit <= 'z', 'A' <= unit && unit <= 'Z', '0' <= unit && unit <= '9':
			name.WriteByte(byte(unit))
		default:
			name.WriteByte('-')
		}
	}
	return name.String()
}
