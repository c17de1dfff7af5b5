package memorytool

import (
	"fmt"
	"slices"
	"strings"
)

// listedDepth is how deep below a directory its listing goes.
const listedDepth = 2

// listing writes a directory and what is in it, a line each with its size, after a line end. A directory is as large as all the files
// below it, also those that are too deep to be listed themselves.
func listing(dir string, below []Entry) string {
	below = slices.DeleteFunc(slices.Clone(below), func(e Entry) bool { return isLeftOut(e.Path) })
	sizes := map[string]int64{}
	total := int64(0)
	for _, e := range below {
		if e.Directory {
			continue
		}
		sizes[e.Path] = e.Size
		total += e.Size
		for i, c := range e.Path {
			if c == '/' {
				sizes[e.Path[:i]] += e.Size
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\t%s", humanSize(total), dir)
	for _, e := range below {
		if strings.Count(e.Path, "/") < listedDepth {
			fmt.Fprintf(&b, "\n%s\t%s/%s", humanSize(sizes[e.Path]), dir, e.Path)
		}
	}
	return b.String()
}

// isLeftOut says whether something on the way to a path keeps it out of a listing.
func isLeftOut(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(name, ".") || name == "node_modules" {
			return true
		}
	}
	return false
}

// humanSize writes a number of bytes as people read it: 812B, 1.5K, 2.0M.
func humanSize(bytes int64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%dB", bytes)
	}
	size, unit := float64(bytes)/1024, 0
	const units = "KMGTPE"
	for size >= 1023.95 && unit < len(units)-1 { // what would be rounded to 1024.0
		size /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f%c", size, units[unit])
}
