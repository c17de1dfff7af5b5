package sync

import "strings"

// indexSpellings are the names that an index may have.
var indexSpellings = spellingsOf(indexFile)

// likelySpellings are those of them that somebody may well give it.
var likelySpellings = []string{
	"MEMORY.md", "Memory.md", "memory.md", "MEMORY.MD", "Memory.MD", "memory.MD", "MEMORY.Md", "Memory.Md", "memory.Md",
}

// spellingsOf returns a name of ASCII letters in each letter case.
func spellingsOf(name string) []string {
	all := []string{""}
	for _, letter := range strings.Split(name, "") {
		var longer []string
		for _, beginning := range all {
			longer = append(longer, beginning+strings.ToUpper(letter))
			if strings.ToLower(letter) != strings.ToUpper(letter) {
				longer = append(longer, beginning+strings.ToLower(letter))
			}
		}
		all = longer
	}
	return all
}
