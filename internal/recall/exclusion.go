package recall

import "regexp"

// exclusion matches what a query excludes: the rest of a clause after such words. A plain "not"
// counts only at the start of a clause, because "why does it not start" is about starting.
var exclusion = regexp.MustCompile(`(?i)(?:\b(?:except|except for|apart from|other than|aside from|excluding|never mind|not (?:asking |talking )?about|ausser|außer|sauf|excepto|salvo)|[,;:.(—–-]\s*(?:but |and )?not)\s+[^,;:.!?()\n]{1,60}`)

// withoutExclusions returns a query without its excluded parts.
func withoutExclusions(query string) string {
	return exclusion.ReplaceAllString(query, " ")
}
