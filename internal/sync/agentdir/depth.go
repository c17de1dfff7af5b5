package agentdir

import (
	"fmt"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// checkNewDepth returns a conflict if a new file at relPath would be more than agents.MaxDepth
// levels deep, where Memoir reads nothing. It returns nil for every log.
func checkNewDepth(tx *agenttx.Tx, relPath string) error {
	if depthOf(tx, relPath) <= agents.MaxDepth || tx.Agent.IsLogPath(relPath) {
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s would be more than %d levels deep, where Memoir reads no files. Nothing was written. Choose a shorter path.", relPath, agents.MaxDepth)}
}

// checkMoveDepth returns a conflict if a move would bring files below agents.MaxDepth levels, where
// Memoir reads nothing. from may be a directory. It returns nil for a move that makes nothing
// deeper, and for every move to logs.
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

// depthOf returns the depth of a path in the primary directory; memory/a.md has depth 1.
func depthOf(tx *agenttx.Tx, relPath string) int {
	return strings.Count(strings.TrimPrefix(relPath, tx.Agent.PrimaryDir()+"/"), "/") + 1
}

// levelsBelow returns the number of levels with files below a directory. It returns 0 for a file,
// and for a directory without files. It ignores hidden files and the contents of linked
// directories. It fails if the primary directory cannot be opened.
func levelsBelow(tx *agenttx.Tx, relPath string) (int, error) {
	d, err := primaryDirOf(tx.Root, tx.Agent)
	if err != nil {
		return 0, err
	}
	defer d.close()
	listed, err := d.list(strings.TrimPrefix(relPath, tx.Agent.PrimaryDir()+"/"))
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
