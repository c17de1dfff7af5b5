package agentdir

import (
	"fmt"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// checkNewDepth returns a conflict if a new file at place would be deeper than Memoir reads.
func checkNewDepth(tx *agenttx.Tx, place string) error {
	if depthOf(tx, place) <= agents.MaxDepth || tx.Agent.IsLogPath(place) {
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s would be more than %d levels deep, where Memoir reads no files. Nothing was written. Choose a shorter path.", place, agents.MaxDepth)}
}

// checkMoveDepth is checkNewDepth for a file or a directory that is moved. It allows a move that
// makes nothing deeper.
func checkMoveDepth(tx *agenttx.Tx, from, to string) error {
	if depthOf(tx, to) <= depthOf(tx, from) {
		return nil
	}
	below, err := levelsBelow(tx, from)
	switch {
	case err != nil:
		return err
	case below == 0:
		return checkNewDepth(tx, to)
	case depthOf(tx, to)+below <= agents.MaxDepth || tx.Agent.IsLogPath(to):
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s would hold files more than %d levels deep, where Memoir reads none. Nothing was written. Choose a shorter path.", to, agents.MaxDepth)}
}

// depthOf returns the depth of a place in the primary directory; memory/a.md has depth 1.
func depthOf(tx *agenttx.Tx, place string) int {
	return strings.Count(strings.TrimPrefix(place, tx.Agent.PrimaryDir()+"/"), "/") + 1
}

// levelsBelow returns how many levels of files are below a place; 0 if it is a file.
func levelsBelow(tx *agenttx.Tx, place string) (int, error) {
	d, err := primaryDirOf(tx.Root, tx.Agent)
	if err != nil {
		return 0, err
	}
	defer d.close()
	listed, err := d.list(strings.TrimPrefix(place, tx.Agent.PrimaryDir()+"/"))
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
