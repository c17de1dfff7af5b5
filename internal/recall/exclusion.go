package recall

import "regexp"

// exclusion is what a query says that it is not about: what follows on such words, up to the end of the clause. A plain "not" is one
// only at the beginning of a clause: "why does it not start" is about starting.
var exclusion = regexp.MustCompile(`(?i)(?:\b(?:except|except for|apart from|other than|aside from|excluding|never mind|not (?:asking |talking )?about|ausser|außer|sauf|excepto|salvo)|[,;:.(—–-]\s*(?:but |and )?not)\s+[^,;:.!?()\n]{1,60}`)

// withoutExclusions returns a query without what it says that it is not about.
func withoutExclusions(query string) string {
	return exclusion.ReplaceAllString(query, " ")
}
