package claudesettings

// mostNested is how deep a settings file may be nested. Those of Claude Code are some five deep; the parser takes a call of its own for each
// level, and a process whose stack is full ends, whatever else it does. A project's file comes from whoever writes to the repository.
const mostNested = 1000

// isTooDeep reports whether objects and arrays stand in each other deeper than that, outside of strings and comments.
func isTooDeep(raw []byte) bool {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '/':
			i = endOfComment(raw, i)
		case '[', '{':
			if depth++; depth > mostNested {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// endOfComment returns where a comment ends that begins at i; where none does, i.
func endOfComment(raw []byte, i int) int {
	if i+1 == len(raw) {
		return i
	}
	switch raw[i+1] {
	case '/':
		for i < len(raw) && raw[i] != '\n' {
			i++
		}
	case '*':
		for i += 3; i < len(raw) && (raw[i] != '/' || raw[i-1] != '*'); i++ {
		}
	}
	return i
}
