// Package junk finds memories with nothing that stays useful: empty phrases, notes on one finished
// task, placeholders, code or logs without a statement, advice that every model knows, and facts
// that the project states itself. It only suggests: a sentence that it cannot place keeps a memory.
package junk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings"
)

// maxBody is the length in bytes of the longest body that is examined. Longer ones say something.
// It is arbitrary.
const maxBody = 64 << 10

// maxProse is the number of sentences of the longest text that can be junk. It is arbitrary.
const maxProse = 12

// class is a kind of junk.
type class uint8

const (
	useful  class = iota // cannot be placed
	phrase               // an empty phrase or a placeholder
	task                 // a finished or running task
	advice               // advice that every model knows
	project              // a fact that the project states itself
	log                  // output of a program
	code                 // source code
	classes              // the number of classes
)

// reasons are the reasons by class, at most eight words each.
var reasons = [classes]string{
	phrase: "Says nothing lasting", task: "One finished task", advice: "Advice that every model knows",
	project: "The project itself says this", log: "Pasted log without a statement", code: "Pasted code without a statement",
}

// Match reports whether nothing in t stays useful. The match has no spans, because it is about the
// whole text. It takes time linear in the length of t, and is safe for concurrent use.
func Match(t findings.Text) (findings.Match, bool) {
	if len(t.Body) > maxBody {
		return findings.Match{}, false
	}
	parts := divide(t.Body)
	found := parts.classify(isTaskTitle(t.Name) || isTaskTitle(t.Description), isReport(t.Name) || isReport(t.Description))
	if found == useful || says(t.Name, 5, found) || says(t.Description, 4, found) {
		return findings.Match{}, false
	}
	return findings.Match{Kind: findings.Junk, Reason: reasons[found]}, true
}

// says reports whether a name or description is a statement of its own: it has at least n words and
// is no junk itself. A label such as "ts error" is no statement.
func says(title string, n int, found class) bool {
	title = strings.TrimSpace(title)
	if title == "" {
		return false
	}
	// A slug is a name, not a sentence.
	if !strings.Contains(title, " ") && strings.ContainsAny(title, "-_") {
		return false
	}
	words := wordsOf(title)
	if isCJKText(title) {
		return utf8.RuneCountInString(title) > 12 && classifyCJK(title) == useful
	}
	if len(words) < n || len(words) <= 6 && isTaskTitle(title) {
		return false
	}
	return classifySentence(title, found == task) == useful
}

// content is the parts of a body.
type content struct {
	sentences []string
	logs      int      // lines of output
	codes     int      // lines of source code
	commands  int      // lines that are a command or a query
	weak      []string // lines that are output if others are
	isSchema  bool     // a statement that creates a table has begun
	isTable   bool     // the last line was one of a table with columns
	others    int      // lines in fences that cannot be placed
	headings  int
	ticked    int  // items of a list that are ticked off
	label     bool // one of the headings announces a task
	report    bool // one of the headings announces a report on work
}

// divide splits a body into sentences, log lines and code lines.
func divide(body string) content {
	var c content
	fence, language := "", ""
	for line := range strings.SplitSeq(body, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			} else if trimmed != "" {
				c.addCode(line, trimmed, language)
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence, language = trimmed[:3], strings.ToLower(strings.TrimSpace(trimmed[3:]))
		case trimmed == "" || strings.Trim(trimmed, "-=*_") == "":
		case strings.HasPrefix(trimmed, "#") && strings.HasPrefix(strings.TrimLeft(trimmed, "#"), " "):
			if c.headings++; c.headings > maxProse {
				continue
			}
			c.label, c.report = c.label || isTaskTitle(trimmed), c.report || isReport(trimmed)
			// A long heading can be the statement.
			if title := strings.TrimLeft(trimmed, "# "); len(wordsOf(title)) >= 6 {
				c.sentences = append(c.sentences, title)
			}
		case strings.HasPrefix(trimmed, "- [x] ") && !keeps(wordsOf(trimmed[6:]), trimmed):
			c.ticked++
		case isLog(line, trimmed), c.continuesTable(trimmed), c.logs > 0 && strings.HasPrefix(line, "    "):
			c.logs++
		case maybeLog(trimmed):
			c.weak = append(c.weak, trimmed)
		case isCode(trimmed):
			c.codes++
		case strings.HasPrefix(trimmed, "$ ") || strings.HasPrefix(line, "    ") && isCommand(trimmed):
			c.commands++
		case strings.HasPrefix(trimmed, "`") && strings.HasSuffix(trimmed, "`") && strings.Count(trimmed, "`") == 2:
			c.addCode(trimmed, strings.Trim(trimmed, "`"), "")
		default:
			if len(c.sentences) <= maxProse {
				c.sentences = appendSentences(c.sentences, trimmed)
			}
		}
	}
	if c.logs > 0 || len(c.weak) > 1 && len(c.sentences) == 0 {
		c.logs += len(c.weak)
	} else {
		for _, line := range c.weak {
			c.sentences = appendSentences(c.sentences, line)
		}
	}
	return c
}

// addCode counts a line of a fenced block.
func (c *content) addCode(line, trimmed, language string) {
	switch {
	case trimmed == "":
	case isLog(line, trimmed), maybeLog(trimmed), c.continuesTable(trimmed):
		c.logs++
	case c.isSchema || strings.HasPrefix(strings.ToLower(trimmed), "create table"):
		c.isSchema = true
		c.codes++
	case isSource(language) || isCode(trimmed):
		c.codes++
	case isCommand(trimmed) || language == "sql" || language == "bash" || language == "sh" || language == "shell" || language == "zsh":
		c.commands++
	case language == "log" || language == "text" || language == "console" || language == "output" || language == "txt":
		c.logs++
	default:
		c.others++
	}
}

// continuesTable reports whether a line is one of a table that a program prints: a line of
// capitals, and lines with columns below it.
func (c *content) continuesTable(line string) bool {
	columns := strings.Count(strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r != ' ' && r != '\t' }), "|"), "  ")
	isHead := columns >= 2 && line == strings.ToUpper(line) && strings.ContainsFunc(line, unicode.IsLetter)
	c.isTable = isHead || c.isTable && columns >= 2
	return c.isTable
}

// isSource reports whether the language of a fence is one of source code.
func isSource(language string) bool {
	switch language {
	case "go", "css", "scss", "js", "ts", "tsx", "jsx", "javascript", "typescript", "python", "py", "java", "rust", "c", "cpp", "html", "json", "diff", "php", "ruby", "kotlin", "swift", "vue":
		return true
	}
	return false
}

// classify returns the class of a body all of whose parts are junk, or useful. isWeak and isReport
// tell whether the title announces a task or a report on work.
func (c content) classify(isWeak, isReport bool) class {
	isWeak = isWeak || c.label || c.marksTask()
	isReport = isReport || c.report
	var counts [classes]int
	for i, sentence := range c.sentences {
		found := classifySentence(sentence, isWeak)
		if words := wordsOf(sentence); found == useful && isReport && len(words) <= 20 && !isCJKText(sentence) && !keeps(words, sentence) && !isStatement(words) {
			found = task
		}
		if found == useful {
			return useful
		}
		if i >= maxProse {
			return useful
		}
		counts[found]++
	}
	counts[log], counts[code] = c.logs, c.codes
	counts[task] += c.ticked
	lines := c.logs + c.codes + c.commands + c.others
	switch {
	case lines == 0 && len(c.sentences) == 0 && c.ticked == 0:
		return phrase
	case c.commands > 0 && c.commands >= c.logs, c.others > c.logs+c.codes:
		return useful // a command that is worth keeping
	}
	best := phrase
	for k := phrase; k < classes; k++ {
		if counts[k] > counts[best] {
			best = k
		}
	}
	return best
}

// marksTask reports whether one of the sentences shows that the text is a note on a task.
func (c content) marksTask() bool {
	for _, sentence := range c.sentences {
		lower := " " + strings.ToLower(sentence) + " "
		for _, mark := range taskMarks {
			if strings.Contains(lower, mark) {
				return true
			}
		}
	}
	return false
}

// appendSentences splits a line of prose into sentences.
func appendSentences(sentences []string, line string) []string {
	line = strings.TrimLeft(line, "-*+•> \t")
	line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "[x] "), "[ ] "), "[X] ")
	if number := strings.TrimLeft(line, "0123456789"); len(number) < len(line) && strings.HasPrefix(number, ". ") {
		line = number[2:]
	}
	start, inCode := 0, false
	for i, r := range line {
		end := -1
		switch r {
		case '`':
			inCode = !inCode
		case '.', '!', '?', ';':
			if next, _ := utf8.DecodeRuneInString(line[i+1:]); !inCode && (i+1 == len(line) || next == ' ') {
				end = i + 1
			}
		case '。', '！', '？', '；':
			end = i + utf8.RuneLen(r)
		}
		if end > 0 {
			sentences = appendSentence(sentences, line[start:end])
			start = end
		}
	}
	return appendSentence(sentences, line[start:])
}

func appendSentence(sentences []string, sentence string) []string {
	sentence = strings.TrimSpace(sentence)
	if strings.ContainsFunc(sentence, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return append(sentences, sentence)
	}
	return sentences
}

// wordsOf returns the words of a sentence in lower case, without marks around them. Code, paths
// and numbers are words too.
func wordsOf(sentence string) []string {
	words := strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("*`\"“”„«»()[]{},;:!?…—–=<>", r)
	})
	kept := words[:0]
	for _, word := range words {
		if word = strings.Trim(word, ".-'’‘&+/"); word != "" {
			kept = append(kept, word)
		}
	}
	return kept
}

// isCJKText reports whether a text is written without spaces.
func isCJKText(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	return n >= 2 && 2*n >= utf8.RuneCountInString(strings.ReplaceAll(text, " ", ""))
}

// classifySentence returns the class of a sentence. isWeak allows verbs that can also tell of a
// lasting change, such as "moved".
func classifySentence(sentence string, isWeak bool) class {
	if isCJKText(sentence) {
		return classifyCJK(sentence)
	}
	words := wordsOf(sentence)
	switch {
	case len(words) == 0:
		return phrase
	case len(words) > 30:
		return useful
	case isTask(words, sentence, isWeak):
		return task
	}
	var counts [classes]int
	for _, word := range words {
		found, ok := vocabulary[word]
		if !ok {
			return useful
		}
		counts[found]++
	}
	// Words without a class of their own are counted as useful, that is 0.
	switch {
	case tellsCommand(words):
		return useful
	case counts[project] > 0 && slices.Contains(words[:min(2, len(words))], "user"):
		return useful // what the user knows
	case counts[project] > 0 && counts[project] >= counts[advice] && isChoice(words):
		return useful // the project uses pnpm, not npm
	case counts[project] > 0 && counts[project] >= counts[advice]:
		return project
	case counts[advice] > 0 && counts[phrase] > counts[advice]:
		return phrase
	case counts[advice] > 0 && counts[advice]+counts[phrase] > 1 || counts[advice] > 0 && len(words) <= 4:
		return advice
	case counts[advice] > 0:
		return useful
	}
	return phrase
}

// tellsCommand reports whether the words tell with which command to do something: run with make
// test. "npm run build" alone tells nothing.
func tellsCommand(words []string) bool {
	at := slices.Index(words, "run")
	if at < 0 || at > 0 && commands[words[at-1]] {
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool { return commands[word] })
}

// isChoice reports whether the words tell of one of several possible tools or ways.
func isChoice(words []string) bool {
	for _, word := range words {
		switch word {
		case "use", "using", "not", "no", "never", "always", "only", "must", "should", "prefer", "prefers", "want", "wants", "instead", "but", "nicht", "solo", "toujours", "sempre", "sans":
			return true
		}
		if word == "uses" && (slices.Contains(words, "pnpm") || slices.Contains(words, "yarn") || slices.Contains(words, "npm")) {
			return true
		}
	}
	return false
}

// isTask reports whether a sentence tells of a task that is done or under way, and of nothing that
// lasts.
func isTask(words []string, sentence string, isWeak bool) bool {
	if len(words) > 24 || keeps(words, sentence) {
		return false
	}
	if states(words, isWeak) {
		return true
	}
	// Morning: reviewed PRs. But: Discussed with Petra: prices stay net.
	if label, rest, ok := strings.Cut(sentence, ": "); ok && len(wordsOf(rest)) > 1 {
		switch found := classifySentence(rest, isWeak); {
		case found == useful && len(wordsOf(rest)) > 2:
			return false
		case found == task && len(wordsOf(label)) <= 2:
			return true
		}
	}
	i := 0
	for i < len(words)-1 && taskSubjects[words[i]] {
		i++
	}
	if verb := words[i]; strongVerbs[verb] || isWeak && weakVerbs[verb] {
		return !isStatement(words[i:])
	}
	// In German the participle is last: Tippfehler im Header behoben.
	last := len(words) - 1
	for last > 0 && taskSubjects[words[last]] {
		last--
	}
	return finalVerbs[words[last]] && len(words) <= 12
}

// isStatement reports whether the words, which start with a participle, are a statement: "Fixed
// prices are net", "Tested with Postgres 16".
func isStatement(words []string) bool {
	if len(words) > 1 {
		switch words[1] {
		case "with", "against", "under", "mit", "con", "avec", "com":
			return words[0] == "tested" || words[0] == "testet" || words[0] == "getestet"
		}
	}
	for i, word := range words[1:] {
		isGo := word == "go" && i+2 < len(words) && (words[i+2] == "through" || words[i+2] == "to" || words[i+2] == "via" || words[i+2] == "out")
		if presentVerbs[word] || isGo {
			return true
		}
	}
	return false
}

// states reports whether the words are a statement on the state of a task. In a short sentence it
// can be anywhere.
func states(words []string, isWeak bool) bool {
	for i, word := range words {
		if i > 0 && len(words) > 8 {
			return false
		}
		for _, s := range statements[word] {
			if len(s.words) <= len(words)-i && slices.Equal(s.words, words[i:i+len(s.words)]) && (!s.open || isWeak && i == 0) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether a sentence has a word of a rule, a reason or a preference.
func keeps(words []string, sentence string) bool {
	for i, word := range words {
		if lastingWords[word] && (i > 0 || word != "no") {
			return true
		}
	}
	return strings.Contains(sentence, "→") || strings.Contains(sentence, "->") || strings.Contains(sentence, "=>") || strings.Contains(sentence, "n't ") || strings.Contains(sentence, "n’t ")
}

// isTaskTitle reports whether a name, description or heading announces a report on work.
func isTaskTitle(title string) bool {
	words := wordsOf(strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimLeft(title, "# ")))
	joined := " " + strings.Join(words, " ") + " "
	for _, mark := range titleMarks {
		if strings.Contains(joined, " "+mark+" ") {
			return true
		}
	}
	return len(words) > 0 && strongVerbs[words[0]]
}

// isReport reports whether a title announces a report on work.
func isReport(title string) bool {
	words := wordsOf(strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimLeft(title, "# ")))
	joined := strings.Join(words, " ") + " "
	for _, report := range reportTitles {
		if strings.HasPrefix(joined, report+" ") {
			return true
		}
	}
	return false
}
