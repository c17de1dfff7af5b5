package verification

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A block is a paragraph, heading, list item or table row. Sentences do not cross blocks.
type block struct {
	text   string
	absent bool // its heading or the text before its list calls the content absent
}

// blocks splits Markdown into paragraphs, list items and table rows. Headings and code blocks are
// left out; a heading only determines whether the blocks below it are absent.
func blocks(body string) []block {
	var b blocksOf
	for line := range strings.Lines(body) {
		b.line(strings.TrimRight(line, "\r\n"))
	}
	b.end()
	return b.found
}

type blocksOf struct {
	found   []block
	current []string
	fence   string // opening fence of the current code block; empty outside
	isItem  bool   // whether the current block is a list item
	// absentHere is set by the heading above, absentList by the paragraph before a list, such as
	// "Removed:".
	absentHere, absentList bool
}

// line adds one line of the text to the current block, or ends the block and begins another. It
// drops headings and code; a heading determines whether the blocks below it are absent.
func (b *blocksOf) line(line string) {
	text := strings.TrimLeft(line, " \t>")
	if b.fence != "" {
		if rest, closes := strings.CutPrefix(text, b.fence); closes && strings.Trim(rest, b.fence[:1]+" \t") == "" {
			b.fence = ""
		}
		return
	}
	item := text[len(itemMarker.FindString(text)):] // without a marker, the whole text
	isItem := len(item) < len(text)
	switch fence := fenceOf(item); {
	case fence != "":
		b.end()
		b.fence = fence
	case text == "":
		b.end()
	case len(b.current) == 0 && !isItem && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")):
		// Code, or the continuation of a list item, which looks the same.
	case strings.HasPrefix(text, "#"):
		b.end()
		b.absentHere, b.absentList = remarksOf(text).absent, false
	case isItem, strings.HasPrefix(text, "|"):
		b.end()
		b.isItem = isItem
		b.current = append(b.current, item)
	default:
		b.current = append(b.current, text)
	}
}

// end appends the current block, if there is one, to found. A paragraph also determines whether the
// items of a list after it are absent.
func (b *blocksOf) end() {
	if len(b.current) == 0 {
		return
	}
	text := strings.Join(b.current, "\n")
	if !b.isItem {
		b.absentList = strings.HasSuffix(strings.TrimRight(text, "* "), ":") && remarksOf(text).absent
	}
	b.found = append(b.found, block{text, b.absentHere || b.isItem && b.absentList})
	b.current, b.isItem = b.current[:0], false
}

// fenceOf returns the three or more backticks or tildes that open a code block at the start of
// text. It returns "" if text opens no code block.
func fenceOf(text string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, mark)
		if n := len(text) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, mark)) {
			return text[:n]
		}
	}
	return ""
}

// itemMarker matches the marker of a list item with the space after it.
var itemMarker = regexp.MustCompile(`^(?:[0-9]{1,9}[.)]|[-*+])[ \t]+`)

// A piece is a part of a block that is either code or prose, with the remarks of its sentence.
type piece struct {
	text string
	code bool
	remarks
}

// remarks are the hints of a sentence about the things that it cites.
type remarks struct {
	absent  bool // they are removed, created later or elsewhere, or optional
	advises bool // they should not be used, or should replace something
	foreign bool // they belong to another program
}

// pieces splits a block at its backticks and sentence ends, and gives each piece the remarks of its
// sentence. If the block is absent, so are all pieces.
func pieces(b block) []piece {
	var all []piece
	sentence := 0 // index of the first piece of the current sentence
	var sentenceText strings.Builder
	end := func() {
		c := remarksOf(sentenceText.String())
		c.absent = c.absent || b.absent
		for i := range all[sentence:] {
			all[sentence+i].remarks = c
		}
		sentence = len(all)
		sentenceText.Reset()
	}
	for _, span := range codeSpans(b.text) {
		if span.code {
			all = append(all, piece{text: span.text, code: true})
			if program, _, isCommand := strings.Cut(strings.TrimSpace(span.text), " "); isCommand {
				sentenceText.WriteString(" " + program + " ")
			} else {
				sentenceText.WriteString(" · ") // separates the words on both sides
			}
			continue
		}
		for rest := span.text; rest != ""; {
			n, ends := sentenceEnd(rest)
			all = append(all, piece{text: rest[:n]})
			sentenceText.WriteString(rest[:n])
			rest = rest[n:]
			if ends {
				end()
			}
		}
	}
	end()
	return all
}

// A span is a part of a block inside or outside backticks.
type span struct {
	text string
	code bool
}

// codeSpans splits a text into the parts outside and inside backticks, in order. As in Markdown, a
// run of backticks is closed by the next run of the same length; one that is not closed is text.
func codeSpans(text string) []span {
	// closer is the index of the next run of that length, or 0 without one.
	type run struct{ start, length, closer int }
	var runs []run
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		start := i
		for i < len(text) && text[i] == '`' {
			i++
		}
		runs = append(runs, run{start: start, length: i - start})
	}
	next := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		runs[i].closer = next[runs[i].length]
		next[runs[i].length] = i
	}
	var spans []span
	at := 0
	for i := 0; i < len(runs); i++ {
		opener := runs[i]
		if opener.closer == 0 {
			continue
		}
		closer := runs[opener.closer]
		spans = append(spans, span{text: text[at:opener.start]}, span{text[opener.start+opener.length : closer.start], true})
		at, i = closer.start+closer.length, opener.closer
	}
	return append(spans, span{text: text[at:]})
}

// sentenceEnd returns the length of the first sentence in bytes, and true. If none ends before the
// end of text, it returns the length of text and false.
func sentenceEnd(text string) (n int, ends bool) {
	for i, r := range text {
		after := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '；':
			return after, true
		case '.', '!', '?', ';':
			if next, _ := utf8.DecodeRuneInString(text[after:]); after == len(text) || unicode.IsSpace(next) {
				return after, after < len(text)
			}
		case utf8.RuneError:
			continue // its length is unknown
		}
	}
	return len(text), false
}

// The words and phrases of remarks, in lower case.
var (
	absentWords = setOf(`absent absence create creates creating delete deleted deletes deleting deprecated dropped
		emit emits entfernt former formerly gelöscht generate generated generates generating gitignored gone hypothetical ignored missing moved
		obsolete optional planned produce produces proposed remove removed removes removing rename renamed replaced
		retired runtime superseded temporary todo untracked upstream`)
	adviceWords = setOf(`avoid avoids cannot can't disallowed don't doesn't forbid forbidden instead isn't migrate never no not prefer
		prefers rather shouldn't stop without wishes would`)
	// foreignPrograms are programs whose flags no project defines.
	foreignPrograms = setOf(`apt apt-get ansible aws az bash brew bun bundle bundler cargo chrome chromium claude cmake composer curl deno
		docker docker-compose dotnet eslint ffmpeg find gcc gcloud gem gh git github gradle grep helm hg java jest jq kubectl ls maven mix mvn mypy
		mysql ninja node npm npx nvm openssl pdm pip pip3 playwright pnpm podman poetry pre-commit prettier psql pytest python python3 rails rake
		rg rsync ruby ruff rustc rustup sed ssh systemctl tar terraform tsc uv uvx vite vitest webpack wget yarn zsh`)
	absentPhrases = []string{
		" no longer ", " used to ", " not exist ", " doesn't exist ", " don't exist ", " does not have ", " will be added ", " to be added ",
		" will add ", " will live ", " should live ", " new file ", " another repo ", " another repository ", " other repo ", " other repository ",
		" separate repo ", " separate repository ", " another project ", " other project ", " such as ", " for example ", " for instance ",
		" if it exists ", " if present ", " where present ", " written to ", " writes to ",
	}
	// Scripts without spaces have no words to look up.
	absentInside = []string{"删除", "刪除", "移除", "不再", "废弃", "已删", "削除", "廃止", "삭제"}
)

// remarksOf returns the remarks of a sentence. They report whether its words call the things it
// cites absent, advise against them, or name another program. The caller must have removed code
// from it.
func remarksOf(sentence string) remarks {
	var c remarks
	var joinedWords strings.Builder
	joinedWords.WriteByte(' ')
	for word := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(sentence, "’", "'")), notInWord) {
		word = strings.Trim(word, "'-")
		c.absent = c.absent || absentWords[word]
		c.advises = c.advises || adviceWords[word]
		c.foreign = c.foreign || foreignPrograms[word]
		joinedWords.WriteString(word)
		joinedWords.WriteByte(' ')
	}
	words := joinedWords.String()
	for _, phrase := range absentPhrases {
		c.absent = c.absent || strings.Contains(words, phrase)
	}
	for _, part := range absentInside {
		c.absent = c.absent || strings.Contains(sentence, part)
	}
	return c
}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && r != '·'
}
