package sync

import (
	"slices"
	"strings"
)

// under reports whether the path is dir or below it.
func under(p, dir string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") }

// isIn reports whether the path is one of paths or below one.
func isIn(paths []string, p string) bool {
	return slices.ContainsFunc(paths, func(dir string) bool { return under(p, dir) })
}
