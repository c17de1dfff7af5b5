package agents

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // as git names objects
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// maxGitObject limits the size of an object of git that is read, in bytes. It is arbitrary: only
// commits and directories are.
const maxGitObject = 4 << 20

var gitObjectID = regexp.MustCompile(`^[0-9a-f]{40}$`)

// gitHead returns the id of the latest commit of the repository in a directory, or "".
func gitHead(root *os.Root) string {
	head := gitFile(root, "HEAD")
	if ref, isRef := strings.CutPrefix(head, "ref: "); isRef {
		head = gitFile(root, ref)
	}
	return head
}

// gitFile returns the first bytes of a small file of the repository, without a line end, or "".
func gitFile(root *os.Root, name string) string {
	file, err := root.Open(path.Join(".git", name))
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// gitObject returns the kind and the data of an object that git has not packed. Both are empty if it
// cannot be read.
func gitObject(root *os.Root, id string) (kind string, data []byte) {
	if !gitObjectID.MatchString(id) {
		return "", nil
	}
	file, err := root.Open(path.Join(".git/objects", id[:2], id[2:]))
	if err != nil {
		return "", nil
	}
	defer file.Close() //nolint:errcheck // only read
	unpacked, err := zlib.NewReader(file)
	if err != nil {
		return "", nil
	}
	raw, err := io.ReadAll(io.LimitReader(unpacked, maxGitObject))
	if err != nil {
		return "", nil
	}
	head, data, _ := bytes.Cut(raw, []byte{0})
	kind, _, _ = strings.Cut(string(head), " ")
	return kind, data
}

// gitEntries returns the entries of a directory, by name, or nil.
func gitEntries(root *os.Root, id string) map[string]string {
	kind, data := gitObject(root, id)
	if kind != "tree" {
		return nil
	}
	const size = 20 // of an id, in bytes
	entries := map[string]string{}
	for len(data) > 0 {
		head, rest, found := bytes.Cut(data, []byte{0})
		_, name, isEntry := strings.Cut(string(head), " ") // mode and name
		if !found || !isEntry || len(rest) < size {
			return nil
		}
		entries[name], data = hex.EncodeToString(rest[:size]), rest[size:]
	}
	return entries
}

// gitBlobID returns the id of a file with the bytes raw in a git repository.
func gitBlobID(raw []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(raw)), raw...)) //nolint:gosec // as git names objects
	return hex.EncodeToString(sum[:])
}

// gitTree returns the ids of the files in a directory as the latest commit of a repository has them,
// by name. isKnown is false if there is no commit, or git has packed it. It runs no program, because
// the repository's settings could name another one.
func gitTree(root *os.Root, dir string) (files map[string]string, isKnown bool) {
	kind, data := gitObject(root, gitHead(root))
	line, _, _ := bytes.Cut(data, []byte("\n"))
	tree, isCommit := strings.CutPrefix(string(line), "tree ")
	if kind != "commit" || !isCommit {
		return nil, false
	}
	files = gitEntries(root, tree)
	for name := range strings.SplitSeq(dir, "/") {
		files = gitEntries(root, files[name])
	}
	return files, true
}

// gitPacked returns when a repository that git has packed was made. It is zero for any other.
func gitPacked(root *os.Root) time.Time {
	if _, err := root.Stat(".git/packed-refs"); err != nil {
		return time.Time{}
	}
	info, err := root.Stat(".git/HEAD")
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
