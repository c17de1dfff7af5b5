package secrets

import (
	"strings"

	"memoir/internal/findings/normtext"
)

// findLogin finds the password in a pair of user and password.
func (s *scan) findLogin(from int) {
	rest := s.Plain[from:min(len(s.Plain), from+140)]
	at := userPassword.FindStringSubmatchIndex(rest)
	if at == nil {
		return
	}
	v := trimEnd(rest[at[4]:at[5]], false)
	if !isSecretive(v) || isPlaceholder(v) || strings.HasPrefix(v, "//") || expression.MatchString(v) || filePath.MatchString(v) || measure.MatchString(v) || uuid.MatchString(v) || strings.Contains(v, "://") {
		return
	}
	if s.near(strongExample, from) || isWeak(v) && s.near(weakExample, from) {
		return
	}
	s.add(from+at[4], from+at[4]+len(v), rulePassword)
}

// credentialContext is text before a pair that announces a user and a password.
var credentialContext = normtext.NewPattern(`basic auth|credential|\blog(?:ged)? in with\b|\blogin:|zugangsdaten|htpasswd|\bs?ftp\b|\bvpn\b|anmeldung|acceso:|identifiants|\baccess:|\bwi-?fi\b|\bwlan\b`)

// findPairs finds passwords behind a user and a slash, also without a label.
func (s *scan) findPairs() {
	for at := 0; ; {
		next := strings.Index(s.Plain[at:], " / ")
		if next < 0 {
			return
		}
		start := at + next
		at = start + 3
		if start == 0 || !isAlnum(s.Plain[start-1]) && strings.IndexByte("`\"'*", s.Plain[start-1]) < 0 {
			continue
		}
		v, ok := s.value(at, strong, start)
		t := traitsOf(v.text)
		known := t.symbol && isSecretive(v.text) || t.digit && t.letters() && len(v.text) >= 8 && !hasStoreWord(v.text) && credentialContext.MatchString(lineBefore(s.Lower, start))
		if !ok || v.nextLine || !known || strings.ContainsAny(v.text, " ()[]{}<>") || isPlaceholder(v.text) || strings.Contains(v.text, "://") || filePath.MatchString(v.text) || measure.MatchString(v.text) {
			continue
		}
		if !s.near(strongExample, start) && !(isWeak(v.text) && s.near(weakExample, start)) {
			s.add(v.start, v.end, rulePassword)
		}
	}
}

// findPIN finds a number that opens something.
func (s *scan) findPIN(from int) {
	rest := s.Lower[from:min(len(s.Lower), from+40)]
	at := digitsOnly.FindStringSubmatchIndex(rest)
	if at == nil || unit.MatchString(rest[at[1]:]) || s.near(strongExample, from) {
		return
	}
	decimal := at[1]+1 < len(rest) && rest[at[1]] == '.' && class(rest[at[1]+1]) == '0'
	if v := rest[at[2]:at[3]]; distinct(v) > 1 && v != "1234" && !decimal {
		s.add(from+at[2], from+at[3], rulePIN)
	}
}

// findSeed finds the words of a seed phrase.
func (s *scan) findSeed(from int) {
	rest := s.Lower[from:min(len(s.Lower), from+400)]
	at := seedWords.FindStringSubmatchIndex(rest)
	if at == nil || s.near(strongExample, from) {
		return
	}
	different := map[string]bool{}
	for word := range strings.FieldsFuncSeq(rest[at[2]:at[3]], func(r rune) bool { return r < 'a' || r > 'z' }) {
		if seedStops[word] {
			return
		}
		different[word] = true
	}
	if len(different) >= 8 {
		s.add(from+at[2], from+at[3], ruleSeed)
	}
}

// findCodes finds a list of recovery codes.
func (s *scan) findCodes(from int) {
	start, end := -1, from
	for {
		rest := s.Plain[end:min(len(s.Plain), end+80)]
		at := codeWord.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		v := rest[at[2]:at[3]]
		if t := traitsOf(v); !t.digit || isPlaceholder(v) || measure.MatchString(v) && t.letters() || strings.HasPrefix(v, "20") && strings.Count(v, "-") == 2 {
			break
		}
		if start < 0 {
			start = end + at[2]
		}
		end += at[3]
	}
	if start >= 0 && !s.near(strongExample, from) {
		s.add(start, end, ruleCode)
	}
}

// findTables finds passwords and keys in the columns of Markdown tables.
func (s *scan) findTables() {
	if !strings.Contains(s.Plain, "|-") && !strings.Contains(s.Plain, "| -") && !strings.Contains(s.Plain, "|:-") {
		return
	}
	var columns map[int]kind
	header, at := "", 0
	for line := range strings.SplitAfterSeq(s.Plain, "\n") {
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		switch {
		case !strings.Contains(trimmed, "|"):
			columns, header = nil, ""
		case strings.Trim(trimmed, "|-: ") == "":
			columns = labelColumns(strings.ToLower(header))
		default:
			header = trimmed
			s.findCells(line, start, columns)
		}
	}
}

// labelColumns returns the columns of a table whose heads are labels.
func labelColumns(header string) map[int]kind {
	columns := map[int]kind{}
	for i, cell := range strings.Split(strings.Trim(header, "|"), "|") {
		cell = strings.Trim(cell, " *`_")
		for _, l := range labels.At(cell, 0) {
			if cell == l.text && l.kind <= key {
				columns[i] = l.kind
				break
			}
		}
	}
	return columns
}

func (s *scan) findCells(line string, start int, columns map[int]kind) {
	if len(columns) == 0 {
		return
	}
	offset := strings.IndexByte(line, '|') + 1
	if strings.TrimSpace(line[:offset]) != "|" {
		offset = 0
	}
	for i, cell := range strings.Split(line[offset:], "|") {
		k, ok := columns[i]
		value := strings.Trim(cell, " *`\"'\n\r")
		if ok && value != "" && !isPlaceholder(value) && !filePath.MatchString(value) && !measure.MatchString(value) && (isRandom(value) || k <= short && traitsOf(value).digit && traitsOf(value).letters() && !strings.Contains(value, " ") && len(value) >= 6 && !hasStoreWord(value) && !technology.MatchString(value)) {
			from := start + offset + strings.Index(cell, value)
			if !s.near(strongExample, from) {
				s.add(from, from+len(value), map[bool]string{true: rulePassword, false: generic}[k <= short])
			}
		}
		offset += len(cell) + 1
	}
}

var (
	userPassword = normtext.NewPattern(`^(?:are |is |sind |son |sont |são |sono |для |ist |lautet )?(?:[\w.-]{2,20} )?[\s*"'` + "`" + `“「]*([\w.@+-]{2,40})["'` + "`" + `”」*]*(?:\s*(?:/|:|\||,|\()\s*|\s+(?:and|und|y|et|e|mit|with)\s+)["'` + "`" + `“「*]*([^\s"'` + "`" + `”」]{6,64})`)
	digitsOnly   = normtext.NewPattern(`^[\s*` + "`" + `"'“「#]*(\d(?:[\d -]{2,10})\d|\d{4,10})\b`)
	unit         = normtext.NewPattern(`^\s*(?:digits?|stellen|stellig|dígitos|chiffres|цифр|桁|位|자리|-digit|times|attempts|min|sec|days|px|%)`)
	seedWords    = normtext.NewPattern(`^[\s*"'` + "`" + `“「>\n-]*((?:\d{1,2}[.):]?\s*)?[a-z]{3,8}(?:[\s,]+(?:\d{1,2}[.):]?\s*)?[a-z]{3,8}){11,23})`)
	seedStops    = words(`the and for with that from are stored kept never this they has have into when where must should not our`)
	codeWord     = normtext.NewPattern(`^[\s*,;` + "`" + `"'>-]*([0-9A-Za-z]{3,8}(?:-[0-9A-Za-z]{3,8})+|\d{6,10}|[0-9a-f]{8,16}|[0-9A-Z]{8,16})(?:[\s,;.` + "`" + `"']|$)`)
)
