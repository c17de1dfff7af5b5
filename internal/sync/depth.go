package sync

import (
	"fmt"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

// checkNewDepth returns a conflict if a new file at place would be deeper than Memoir reads.
func (h *hold) checkNewDepth(relPath string) error {
	if h.depthOf(relPath) <= agents.MaxDepth || h.onDisk.IsLogPath(relPath) {
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s would be more than %d levels deep, where Memoir reads no files. Nothing was written. Choose a shorter path.", relPath, agents.MaxDepth)}
}

// checkMoveDepth is checkNewDepth for a file or a directory that is moved. It allows a move that
// makes nothing deeper.
func (h *hold) checkMoveDepth(from, to string) error {
	if h.depthOf(to) <= h.depthOf(from) {
		return nil
	}
	below, err := h.levelsBelow(from)
	switch {
	case err != nil:
		return err
	case below == 0:
		return h.checkNewDepth(to)
	case h.depthOf(to)+below <= agents.MaxDepth || h.onDisk.IsLogPath(to):
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s would hold files more than %d levels deep, where Memoir reads none. Nothing was written. Choose a shorter path.", to, agents.MaxDepth)}
}

// depthOf returns the depth of a place in the primary directory; memory/a.md has depth 1.
func (h *hold) depthOf(relPath string) int {
	return strings.Count(strings.TrimPrefix(relPath, h.onDisk.PrimaryDir()+"/"), "/") + 1
}

// levelsBelow returns how many levels of files are below a place; 0 if it is a file.
func (h *hold) levelsBelow(relPath string) (int, error) {
	d, err := primaryDirOf(h.root, h.onDisk)
	if err != nil {
		return 0, err
	}
	defer d.close()
	listed, err := d.list(strings.TrimPrefix(relPath, h.onDisk.PrimaryDir()+"/"))
	if err != nil {
		return 0, nil // not a directory
	}
	levels := 0
	for _, file := range listed {
		if !file.Directory {
			levels = max(levels, strings.Count(file.Path, "/")+1)
		}
	}
	return levels, nil
}
