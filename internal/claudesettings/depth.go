package claudesettings

// maxNested is the maximum nesting of a settings file. Those of Claude Code have about five levels.
// The parser recurses, so a hostile file of a project could otherwise overflow the stack.
const maxNested = 1000

// isTooDeep reports whether objects and arrays are nested deeper than maxNested.
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
			if depth++; depth > maxNested {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// endOfComment returns the last index of a comment that starts at i. It returns i if there is no
// comment.
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
