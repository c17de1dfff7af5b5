package embedding

import (
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"memoir/internal/findings/quarantine"
	"memoir/internal/records"
)

// textVersion identifies the rules of this file. Raise it with each change of the texts of memories:
// they are then embedded again.
const textVersion = 1

const (
	// maxText limits a text, in bytes. Small models read 512 tokens, which is also llama.cpp's default
	// batch: 1,400 bytes are some 350 tokens of English and 470 of Chinese.
	maxText = 1400
	// maxTexts limits the texts of a memory (arbitrary). The rest of a longer one is not searched by
	// meaning.
	maxTexts = 8
	// maxHead limits the name and description, which begin each text, in bytes.
	maxHead = 400
	// maxBody is the number of characters of a body that are read. They are examined for secrets, also
	// those that are not sent.
	maxBody = 16_000
)

// textsOf returns the texts of a memory: name and description, followed by a part of the body. A
// short memory has one. ok is false if the memory must not be sent because it has a secret.
func textsOf(m records.UnembeddedMemory) (texts []string, ok bool) {
	if hasSecret(m.Name + "\n" + m.Description + "\n" + m.Body) {
		return nil, false
	}
	head := cut(strings.TrimSpace(m.Name+"\n"+m.Description), maxHead)
	rest := strings.TrimSpace(m.Body)
	for len(texts) < maxTexts && (rest != "" || len(texts) == 0) {
		part := rest
		if room := maxText - len(head) - 1; len(rest) > room {
			part = atBreak(rest, room)
		}
		rest = strings.TrimSpace(rest[len(part):])
		texts = append(texts, strings.TrimSpace(head+"\n"+part))
	}
	return texts, true
}

// hasSecret reports whether a text has something that looks like a secret.
func hasSecret(text string) bool { return quarantine.MaskSecrets(text) != text }

// cut returns at most most bytes of a text, without a broken character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// atBreak returns the beginning of a text that is longer than most bytes, up to the last paragraph,
// line, sentence or word that ends in the second half of most.
func atBreak(text string, most int) string {
	part := cut(text, most)
	for _, end := range []string{"\n\n", "\n", ". ", "。", " "} {
		if at := strings.LastIndex(part, end); at > most/2 {
			return part[:at+len(end)]
		}
	}
	return part
}

// queryText returns the part of a query that is embedded: a question is before or after a pasted text.
func queryText(query string) string {
	query = strings.TrimSpace(query)
	if len(query) <= maxText {
		return query
	}
	end := query[len(query)-maxText/2:]
	for end != "" && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	return cut(query, maxText/2) + "\n" + end
}

// markers are what models expect before a query and before a text, by a part of the model's name, as
// their authors document it.
var markers = []struct{ model, query, text string }{
	{"nomic-embed", "search_query: ", "search_document: "},
	{"embeddinggemma", "task: search result | query: ", "title: none | text: "},
	{"e5-small", "query: ", "passage: "},
	{"e5-base", "query: ", "passage: "},
	{"e5-large", "query: ", "passage: "},
	{"mxbai-embed", "Represent this sentence for searching relevant passages: ", ""},
	{"qwen3-embedding", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""},
}

// markersOf returns what the model expects before a query and before a text.
func markersOf(model string) (query, text string) {
	model = strings.ToLower(model)
	for _, m := range markers {
		if strings.Contains(model, m.model) && !strings.Contains(model, "instruct") {
			return m.query, m.text
		}
	}
	return "", ""
}

func hashOf(text string) records.TextHash { return sha256.Sum256([]byte(text)) }
