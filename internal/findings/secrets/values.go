package secrets

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
)

// value is a possible credential behind a label.
type value struct {
	text       string
	start, end int
	quoted     bool // in quotes or as code
	nextLine   bool // on the line after the label's
	alone      bool // the only text of its line behind the link
}

var closing = []struct{ open, close string }{
	{"```", "```"}, {"``", "``"}, {"`", "`"}, {"\"", "\""}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"‘", "’"},
	{"<code>", "</code>"}, {"<b>", "</b>"}, {"<strong>", "</strong>"}, {"<kbd>", "</kbd>"}, {"【", "】"},
}

// closerOf returns the text that closes the quote at the start of a text, or "" if none is there.
func closerOf(text string) string {
	for _, c := range closing {
		if strings.HasPrefix(text, c.open) {
			return c.close
		}
	}
	return ""
}

func openerOf(text string) string {
	for _, c := range closing {
		if strings.HasPrefix(text, c.open) {
			return c.open
		}
	}
	return ""
}

// maxValue limits how far a value is read, in bytes, so that the cost of a long word is linear. Keys
// of 4,096 bits take less; blocks are read apart.
const maxValue = 4096

// value reads the value at an offset. ok is false if there is no text.
func (s *reader) value(from int, how link, labelStart int) (v value, ok bool) {
	text := s.Plain[:min(len(s.Plain), from+maxValue)]
	p := from
	stars := 0
	skip := func() {
		for p < len(text) && (text[p] == ' ' || text[p] == '\t' || text[p] == '*') {
			if text[p] == '*' {
				stars++
			}
			p++
		}
	}
	skip()
	if how != bare && p < len(text) && (text[p] == '\n' || text[p] == '\r' || text[p] == '\\') {
		next, _ := lineBreak(text, p)
		if next == 0 && strings.HasPrefix(text[p:], "\n\n") {
			next, _ = lineBreak(text, p+1)
		}
		if next == 0 {
			return v, false
		}
		p, v.nextLine = next, true
		if strings.HasPrefix(text[p:], "```") {
			if end := strings.IndexByte(text[p:], '\n'); end >= 0 {
				p += end + 1
			}
		}
		p += len(text[p:]) - len(strings.TrimLeft(text[p:], "-* \t"))
	}
	inParameter := labelStart > 0 && (text[labelStart-1] == '?' || text[labelStart-1] == '&') || strings.Contains(lineHead(text, labelStart), "?") && strings.Contains(lineHead(text, labelStart), "://")
	for range 3 {
		open := openerOf(text[p:])
		if open == "" {
			break
		}
		begin := p + len(open)
		line := text[begin:min(len(text), begin+400)]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		closer := closerOf(text[p:])
		end := strings.Index(line, closer)
		if end < 0 && closer == "“" {
			end = strings.Index(line, "”")
		}
		if end <= 0 {
			p, v.quoted = begin, false
			break
		}
		v.quoted = true
		p = begin
		if inner := openerOf(text[p:]); inner == "" {
			v.start, v.end = p, begin+end
			v.text = text[v.start:v.end]
			return v, strings.TrimSpace(v.text) != ""
		}
	}
	end := p
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if r <= ' ' || r == '`' || r == '"' && end > p || isSpaceless(r) || strings.ContainsRune("”»「」『』、。，；）“", r) {
			break
		}
		if inParameter && (r == '&' || r == '#') || how == strong && r == ';' || r == '<' && end > p && end+1 < len(text) && (isAlnum(text[end+1]) || text[end+1] == '/') {
			break
		}
		end += size
	}
	v.start, v.end = p, p+len(trimEnd(text[p:end], stars > 0 || strings.HasPrefix(text[p:], "_")))
	v.text = text[v.start:v.end]
	rest := text[end:]
	if line := strings.IndexByte(rest, '\n'); line >= 0 {
		rest = rest[:line]
	}
	v.alone = strings.Trim(rest, " \t\r.*`\"'),;") == ""
	return v, v.text != ""
}

// lineHead returns the text between the last white space and an offset, at most maxBefore bytes.
func lineHead(text string, at int) string {
	text = text[max(0, at-maxBefore):at]
	return text[strings.LastIndexAny(text, " \t\n")+1:]
}

// trimEnd removes punctuation that belongs to the sentence from the end of a value.
func trimEnd(text string, emphasised bool) string {
	for text != "" {
		last := text[len(text)-1]
		switch {
		case strings.IndexByte(".,;:?'\"", last) >= 0:
		case last == '*' && emphasised:
		case last == ')' && strings.Count(text, "(") < strings.Count(text, ")"):
		case last == ']' && strings.Count(text, "[") < strings.Count(text, "]"):
		case last == '}' && strings.Count(text, "{") < strings.Count(text, "}"):
		default:
			return text
		}
		text = text[:len(text)-1]
	}
	return text
}

// labelled is a value with its label.
type labelled struct {
	label      label
	value      value
	how        link
	identifier bool
	start      int // of the label
}

// judge returns the rule of a value that is a credential, or "". Whether the sentence is about
// examples comes last, since it takes most time.
func (s *reader) judge(c *labelled) string {
	if rule := s.judgeValue(c); rule != "" && !s.near(strongExample, c.start) {
		return rule
	}
	return ""
}

func (s *reader) judgeValue(c *labelled) string {
	v := c.value.text
	if len(v) < 4 || isPlaceholder(v) {
		return ""
	}
	switch c.label.kind {
	case password, phrase, short:
		if !s.isPassword(c) || isNoValue(c) || isWeak(v) && s.near(weakExample, c.start) {
			return ""
		}
		before := s.Lower[max(0, c.start-80):c.start]
		if strings.HasSuffix(before, ";") || strings.Contains(before, "server=") || strings.Contains(before, "host=") {
			return ruleConnection
		}
		return rulePassword
	case token, key:
		if s.isKey(c) && !isNoValue(c) {
			return generic
		}
	case cookie:
		return s.judgeCookie(c)
	case signature:
		if c.how == strong && len(v) >= 20 && isRandom(v) && s.Plain[c.start+len(c.label.text)] == '=' && c.start > 0 && strings.IndexByte("?&", s.Plain[c.start-1]) >= 0 {
			return generic
		}
	}
	return ""
}

// isNoValue reports whether a value is a path, an expression, a measure or the name of a method.
func isNoValue(c *labelled) bool {
	v := c.value.text
	return strings.Contains(v, "://") || typeName.MatchString(v) || !c.value.quoted && expression.MatchString(v) ||
		filePath.MatchString(v) || measure.MatchString(v) || technology.MatchString(v) && !(c.label.kind >= token && isRandom(v))
}

var (
	typeName    = normtext.NewPattern(`^\w+\(\d*\)$`)
	technology  = normtext.NewPattern(`(?i)^(?:argon2|bcrypt|sha-?\d|md5|aes|rsa|pbkdf2|base64|base32|oauth|totp|x\.?509|1password|utf-?8|ed25519|[hre]s256|tls|pkcs|scram|k8s|op:|vault:|ssm:|arn:|kms:|env:|file:|enc\[|secret:|sops:|2fa|mfa|http|s3|ipv?\d|python\d|node\d|postgres\d)`)
	storeWords  = words(`password passwords passwd secret secrets token tokens key keys credential credentials vault pass pwd db database cert auth login store manager`)
	phraseStops = words(`the a an is are be must not to of in on for with and or please enter your wrong invalid contain contains least characters may should can from at by it this that stored kept required field`)
	hexDigest   = normtext.NewPattern(`^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$`)
	digestNear  = normtext.NewPattern(`\bsha-?\d|\bmd5\b|hash|checksum|digest|prüfsumme`)
	account     = normtext.NewPattern(`\b(?:user(?:name)?|login|usuario|benutzer|utilisateur|utente|usuário|ssh|s?ftp|vpn|account|admin|root|smtp|imap|wifi|wlan)\b|логин|ユーザ|账号|用户|계정`)
	userLabel   = normtext.NewPattern(`(?:user(?:name)?|login|usr|account|e-?mail|benutzer(?:name)?|nutzer|usuario|utilisateur|identifiant|usuário|utente|логин|пользователь|ユーザー?名?|用户名?|帳號|账号|사용자|아이디)\s*[*_` + "`" + `"']*\s*(?:[:=|/是は]|ist|is|es|est|für)`)
)

// isPassword reports whether the value behind a label for passwords is one.
func (s *reader) isPassword(c *labelled) bool {
	v := c.value.text
	if len(v) < 4 || len(v) > 160 {
		return false
	}
	if strings.ContainsAny(v, " \t") {
		if t := traitsOf(strings.ReplaceAll(v, " ", "")); c.value.quoted && t.symbol && t.digit && t.letters() && strings.Count(v, " ") < 5 && !strings.ContainsAny(v, "()<>=:/") && !phraseStops[strings.ToLower(strings.Fields(v)[0])] {
			return true
		}
		return c.value.quoted && c.how != bare && isPassphrase(v, c.label.kind == phrase)
	}
	if hexDigest.MatchString(v) && digestNear.MatchString(lineBefore(s.Lower, c.start)) {
		return false
	}
	t := traitsOf(v)
	strong3 := t.lower && t.upper && t.digit && len(v) >= 8 && !hasStoreWord(v)
	if c.label.kind == short && (c.how == bare || c.how == weak) && !isSecretive(v) && !strong3 && !c.value.quoted {
		return false
	}
	if (c.label.text == "clave" || c.label.text == "pass") && !c.value.quoted && t.separator && !t.upper && !t.symbol && !isRandom(v) {
		return false
	}
	if !c.value.quoted && (strings.ContainsAny(v, "()") && expression.MatchString(v) || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "#")) {
		return false
	}
	switch {
	case !t.letters():
		return t.digit && (c.how == strong || c.how == weak || c.value.quoted) && len(v) >= 6 && c.label.kind != short && !t.separator
	case c.how == bare:
		if c.identifier && t.digit && len(v) >= 6 && !hasStoreWord(v) || isSecretive(v) && (t.symbol || isRandom(v)) {
			return true
		}
		return (strong3 || t.lower && t.digit && t.separator && len(v) >= 12 && !hasStoreWord(v)) && account.MatchString(lineBefore(s.Lower, c.start))
	case t.digit:
		if hasStoreWord(v) && !t.symbol && !isRandom(v) {
			return false
		}
		if c.how == weak && !c.value.quoted && t.separator && !t.upper && !t.symbol && !isRandom(v) {
			return false
		}
		return len(v) >= 5
	case t.symbol:
		inner := strings.IndexAny(v[1:len(v)-1], "!@#$%^&*+?~=|")
		return inner >= 0 && len(v) >= 8 && !strings.ContainsAny(v, "()[]{}") && (c.how == strong || c.how == weak || c.value.quoted)
	}
	return s.isWordPassword(c)
}

// isWordPassword reports whether a value without digits and symbols is a password.
func (s *reader) isWordPassword(c *labelled) bool {
	v := c.value.text
	if hasStoreWord(v) || len(v) < 6 {
		return false
	}
	hyphens := strings.Count(v, "-") + strings.Count(v, "_") + strings.Count(v, ".")
	switch {
	case isRandom(v):
		return c.how != bare
	case c.how == quoted:
		return hyphens >= 3
	case hyphens >= 3:
		return true
	case c.value.quoted:
		return hyphens == 0 && !c.value.nextLine && !isCodeWord(v)
	case c.how == strong && c.value.alone && !c.identifier && hyphens == 0 && c.label.kind != short:
		return s.hasUser(c.start)
	}
	return false
}

// isCodeWord reports whether a value in quotes is a word of a schema or an identifier, not a
// password.
func isCodeWord(v string) bool {
	lower := strings.ToLower(v)
	for _, part := range []string{"pass", "require", "valid", "encrypt", "hash", "null", "optional", "string", "hidden", "field", "input", "vault", "secret", "manager", "bitwarden", "keychain", "kennwort", "contras"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return traitsOf(v).upper && mixed(v) > 0
}

// hasUser reports whether a label for a user is on the same line as an offset or on a line next to
// it.
func (s *reader) hasUser(at int) bool {
	before, after := s.Lower[max(0, at-maxBefore):at], s.Lower[at:min(len(s.Lower), at+maxBefore)]
	if own := strings.LastIndexByte(before, '\n'); own > 0 {
		before = before[strings.LastIndexByte(before[:own], '\n')+1:]
	}
	if own := strings.IndexByte(after, '\n'); own >= 0 {
		if next := strings.IndexByte(after[own+1:], '\n'); next >= 0 {
			after = after[:own+1+next]
		}
	}
	return userLabel.MatchString(before + after)
}

// hasStoreWord reports whether a value is an identifier for something that holds a credential, such
// as db-password-v2.
func hasStoreWord(v string) bool {
	parts := identifierParts(v)
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		if storeWords[strings.TrimRight(part, "0123456789")] {
			return true
		}
	}
	return false
}

// isPassphrase reports whether several words are a passphrase.
func isPassphrase(v string, announced bool) bool {
	fields := strings.Fields(strings.ToLower(v))
	if len(fields) < 3 || len(fields) > 12 || len(fields) == 3 && !announced {
		return false
	}
	for _, word := range fields {
		if phraseStops[word] || strings.ContainsAny(word, "()=<>/:") {
			return false
		}
	}
	return true
}

// isKey reports whether the value behind a label for keys and tokens is one.
func (s *reader) isKey(c *labelled) bool {
	v := strings.TrimRight(c.value.text, ".")
	if len(v) < 8 || len(v) > 600 || strings.ContainsAny(v, " \t") {
		return false
	}
	if strings.HasPrefix(v, "ssh-") || strings.HasPrefix(v, "SHA256:") || strings.HasPrefix(v, "0x") && len(v) < 60 {
		return false
	}
	random := isRandom(v)
	owner := s.wordBefore(c.start)
	switch {
	case c.label.kind == key && !keyOwners[owner]:
		return random && !strings.ContainsAny(v, ":") && !c.value.nextLine && (c.start > 0 && strings.IndexByte("?&", s.Plain[c.start-1]) >= 0 || len(v) >= 20 && (c.how == strong || c.identifier) || len(v) >= 28)
	case random:
		return c.how != bare || len(v) >= 16
	case c.how == strong || c.how == weak && c.value.quoted:
		t := traitsOf(v)
		return t.symbol && t.digit && t.letters() && !strings.ContainsAny(v, "()[]{}<>|,") && !hasStoreWord(v)
	}
	return false
}

var uuid = normtext.NewPattern(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

// judgeCookie returns the rule of a cookie or a session id that is random, or "". It takes the name
// of a cookie off the value.
func (s *reader) judgeCookie(c *labelled) string {
	v := c.value.text
	if at := strings.IndexByte(v, '='); at > 0 && at < 40 {
		v = v[at+1:]
		c.value.start += at + 1
	}
	if len(v) >= 20 && isRandom(v) && !uuid.MatchString(v) && !isPlaceholder(v) && (c.how == strong || c.value.quoted) {
		return ruleCookie
	}
	return ""
}
