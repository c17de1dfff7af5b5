package verification

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A block is a paragraph, a heading, an item of a list or a row of a table. No sentence goes beyond it.
type block struct {
	text   string
	absent bool // its heading, or what leads to its list, says that what is in it is not there
}

// blocks splits Markdown into its blocks, by the lines alone, and leaves out code blocks.
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
	fence   string // the one that opened the code block that it is in; empty: in none
	isItem  bool   // the current block is an item of a list
	// absentHere is what the heading above says, absentList what the paragraph before a list says: "Removed:".
	absentHere, absentList bool
}

func (b *blocksOf) line(line string) {
	text := strings.TrimLeft(line, " \t>")
	if b.fence != "" {
		if rest, closes := strings.CutPrefix(text, b.fence); closes && strings.Trim(rest, b.fence[:1]+" \t") == "" {
			b.fence = ""
		}
		return
	}
	item := textOfItem(text)
	isItem := len(item) < len(text)
	switch fence := fenceOf(item); {
	case fence != "":
		b.end()
		b.fence = fence
	case text == "":
		b.end()
	case len(b.current) == 0 && !isItem && isIndented(line):
		// Code, or what goes on after an item of a list, which is not told apart here.
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

// end ends the current block.
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

func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// fenceOf returns the fence that a line opens a code block with, or "".
func fenceOf(text string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, mark)
		if n := len(text) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, mark)) {
			return text[:n]
		}
	}
	return ""
}

// textOfItem returns what follows the mark of an item of a list, and the line itself where it begins with none.
func textOfItem(text string) string {
	rest := strings.TrimLeft(text, "0123456789")
	digits := len(text) - len(rest)
	if rest == "" || digits > 9 || digits > 0 && rest[0] != '.' && rest[0] != ')' || digits == 0 && !strings.ContainsRune("-*+", rune(rest[0])) {
		return text
	}
	after := strings.TrimLeft(rest[1:], " \t")
	if len(after) == len(rest)-1 {
		return text // no space follows: emphasis, a number
	}
	return after
}

// A piece is a part of a block that is code throughout, or prose, with what the sentence around it says.
type piece struct {
	text string
	code bool
	remarks
}

// remarks are what a sentence says about what it cites.
type remarks struct {
	absent  bool // that it is gone, is made elsewhere or later, or need not be there
	advises bool // that it is not to be used, or to be used in place of something
	foreign bool // that it belongs to a program of somebody else
}

// pieces splits a block at its backticks and at the ends of its sentences.
func pieces(b block) []piece {
	var all []piece
	sentence := 0 // the first piece of the current one
	var said strings.Builder
	end := func() {
		c := remarksOf(said.String())
		c.absent = c.absent || b.absent
		for i := range all[sentence:] {
			all[sentence+i].remarks = c
		}
		sentence = len(all)
		said.Reset()
	}
	for _, span := range codeSpans(b.text) {
		if span.code {
			all = append(all, piece{text: span.text, code: true})
			if program, _, isCommand := strings.Cut(strings.TrimSpace(span.text), " "); isCommand {
				said.WriteString(" " + program + " ")
			} else {
				said.WriteString(" · ") // words on both sides are no phrase
			}
			continue
		}
		for rest := span.text; rest != ""; {
			n, ends := sentenceEnd(rest)
			all = append(all, piece{text: rest[:n]})
			said.WriteString(rest[:n])
			rest = rest[n:]
			if ends {
				end()
			}
		}
	}
	end()
	return all
}

// A span is a part of a block that is inside of backticks, or outside.
type span struct {
	text string
	code bool
}

// codeSpans splits a text at its backticks, as Markdown does: as many close as have opened.
func codeSpans(text string) []span {
	type run struct{ start, length, closer int } // closer is the next run of that length; 0: there is none
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

// sentenceEnd returns how long the first sentence of a text is, and whether it ends there.
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
			continue // its length is not that of what was there
		}
	}
	return len(text), false
}

// The words that say so, in lower case.
var (
	absentWords = setOf(`absent absence create creates creating delete deleted deletes deleting deprecated dropped
		emit emits entfernt former formerly gelöscht generate generated generates generating gitignored gone hypothetical ignored missing moved
		obsolete optional planned produce produces proposed remove removed removes removing rename renamed replaced
		retired runtime superseded temporary todo untracked upstream`)
	adviceWords = setOf(`avoid avoids cannot can't disallowed don't doesn't forbid forbidden instead isn't migrate never no not prefer
		prefers rather shouldn't stop without wishes would`)
	// foreignPrograms are those whose flags no project defines.
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
	// Scripts that set no spaces have no words to look up.
	absentInside = []string{"删除", "刪除", "移除", "不再", "废弃", "已删", "削除", "廃止", "삭제"}
)

// remarksOf reads what a sentence says, code left out.
func remarksOf(sentence string) remarks {
	var c remarks
	var joined strings.Builder
	joined.WriteByte(' ')
	for word := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(sentence, "’", "'")), notInWord) {
		word = strings.Trim(word, "'-")
		c.absent = c.absent || absentWords[word]
		c.advises = c.advises || adviceWords[word]
		c.foreign = c.foreign || foreignPrograms[word]
		joined.WriteString(word)
		joined.WriteByte(' ')
	}
	said := joined.String()
	for _, phrase := range absentPhrases {
		c.absent = c.absent || strings.Contains(said, phrase)
	}
	for _, part := range absentInside {
		c.absent = c.absent || strings.Contains(sentence, part)
	}
	return c
}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && r != '·'
}
