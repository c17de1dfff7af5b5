package memorytool

import (
	"fmt"
	"slices"
	"strings"
)

// listedDepth is the number of levels below a directory in its listing.
const listedDepth = 2

// listing returns a line with the size and path of a directory, and one for each entry down to
// listedDepth. Each line begins with a line end. The size of a directory includes all listed and
// deeper files below it. Hidden entries and node_modules are omitted and do not count.
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

// isLeftOut reports whether a listing omits path, because an element of it is hidden or
// node_modules.
func isLeftOut(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(name, ".") || name == "node_modules" {
			return true
		}
	}
	return false
}

// humanSize returns a number of bytes with a unit, such as 812B, 1.5K or 2.0M.
func humanSize(bytes int64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%dB", bytes)
	}
	size, unit := float64(bytes)/1024, 0
	const units = "KMGTPE"
	for size >= 1023.95 && unit < len(units)-1 { // it would be printed as 1024.0
		size /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f%c", size, units[unit])
}
