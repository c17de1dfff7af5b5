package agenttx

import (
	"path"
	"slices"
	"strings"
)

// under reports whether the path is dir or below it.
func Under(p, dir string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") }

// isIn reports whether the path is one of paths or below one.
func IsIn(paths []string, p string) bool {
	return slices.ContainsFunc(paths, func(dir string) bool { return Under(p, dir) })
}

// isFullScan reports whether the scope is all of the agent's directory.
func IsFullScan(paths []string) bool { return slices.Equal(paths, []string{"."}) }

// stem is what stands in for the name of a memory whose file states none.
func Stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }
