package secrets

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
)

// findURLs finds passwords in URLs, and URLs that are a credential themselves.
func (s *scan) findURLs() {
	text := s.Plain
	for at := 0; ; {
		next := strings.Index(text[at:], "://")
		if next < 0 {
			break
		}
		at += next + 3
		end := at
		for end < min(len(text), at+maxValue) && strings.IndexByte(" \t\r\n\"'`<>|", text[end]) < 0 {
			// A bracket can begin a placeholder.
			end++
		}
		s.findUserinfo(at, end)
		s.findWebhook(at, end)
	}
	for _, host := range []string{"hooks.slack.com/", "discord.com/api/webhooks/"} {
		if at := strings.Index(text, host); at >= 0 && !strings.HasSuffix(text[:at], "://") {
			end := at
			for end < len(text) && text[end] > ' ' {
				end++
			}
			s.findWebhook(at, end)
		}
	}
	for at := 0; ; {
		next := strings.Index(text[at:], "@tcp(")
		if next < 0 {
			break
		}
		at += next
		s.findDSN(at)
		at += len("@tcp(")
	}
}

// localHosts are hosts whose services have a password that is the same for each developer.
var localHosts = normtext.NewPattern(`^(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|host\.docker\.internal|[a-z][\w-]*)(?:[:/?,]|$)`)

// findUserinfo finds the password in a URL whose authority starts at an offset.
func (s *scan) findUserinfo(start, end int) {
	authority := s.Plain[start:end]
	limit := len(authority)
	if slash := strings.IndexAny(authority, "/?#"); slash >= 0 {
		limit = slash
	}
	at := strings.LastIndexByte(authority[:limit], '@')
	if at < 0 && limit < len(authority) {
		// A password may have an unescaped slash: user:pa/ss@host:5432.
		if colon := strings.IndexByte(authority[:limit], ':'); colon > 0 && !allDigits(authority[colon+1:limit]) {
			at = strings.IndexByte(authority, '@')
		}
	}
	if at < 0 || at+1 >= len(authority) || !isHostStart(authority[at+1:]) {
		return
	}
	user, password, hasPassword := strings.Cut(authority[:at], ":")
	from := start + len(user) + 1
	host := strings.ToLower(authority[at+1:])
	switch {
	case !hasPassword:
		// A token in place of a user. Sentry's are public.
		if len(user) >= 20 && isRandom(user) && !isPlaceholder(user) && !strings.Contains(host, "sentry") && !s.near(strongExample, start) {
			s.add(start, start+at, ruleURL)
		}
	case password == "" || len(password) > 300 || isPlaceholder(password) || strings.HasPrefix(password, "{") || isVariableLike(password):
	case password == user && localHosts.MatchString(host):
	case strings.Contains(host, "example.") && isWeak(password):
	case !traitsOf(password).digit && isLowerWord(password) && localHosts.MatchString(host):
	case s.near(strongExample, start) || isWeak(password) && s.near(weakExample, start):
	default:
		s.add(from, start+at, ruleURL)
	}
}

func isVariableLike(value string) bool {
	return strings.HasPrefix(value, "$") && isIdentifier(value[1:]) || strings.HasPrefix(value, "%") && strings.HasSuffix(value, "%") && len(value) > 2
}

func isIdentifier(text string) bool {
	for i := range len(text) {
		if !isAlnum(text[i]) && text[i] != '_' {
			return false
		}
	}
	return text != "" && class(text[0]) != '0'
}

func isLowerWord(text string) bool {
	for i := range len(text) {
		if class(text[i]) != 'a' && text[i] != '_' && text[i] != '-' {
			return false
		}
	}
	return true
}

func allDigits(text string) bool {
	for i := range len(text) {
		if class(text[i]) != '0' {
			return false
		}
	}
	return true
}

func isHostStart(host string) bool {
	return isAlnum(host[0]) || host[0] == '[' || host[0] == '$' || host[0] == '{' || host[0] == '/'
}

// findDSN finds the password before "@tcp(" at an offset: user:password@tcp(host:3306)/name.
func (s *scan) findDSN(at int) {
	start := at
	for start > 0 && at-start < 200 && strings.IndexByte(" \t\n\"'`=<>", s.Plain[start-1]) < 0 {
		start--
	}
	if colon := strings.IndexByte(s.Plain[start:at], ':'); colon >= 0 {
		password := s.Plain[start+colon+1 : at]
		if password != "" && password != s.Plain[start:start+colon] && !isPlaceholder(password) && !s.near(strongExample, start) {
			s.add(start+colon+1, at, ruleConnection)
		}
	}
}

var webhook = normtext.NewPattern(`^(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(T?[A-Za-z0-9_]{8,}/B?[A-Za-z0-9_]{8,}/[A-Za-z0-9_/]{16,})|(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{15,}/[\w-]{30,})|[\w-]+\.webhook\.office\.com/webhookb2/([\w@/-]{60,})|[\w.-]+\.logic\.azure\.com(?::443)?/workflows/\S*?[?&]sig=([\w%-]{20,})|(?:hooks\.zapier\.com/hooks/catch|maker\.ifttt\.com/trigger/\w+/with/key|hook\.\w+\.make\.com)/([\w/-]{12,})|chat\.googleapis\.com/v1/spaces/\S*?[?&]key=\S*?token=([\w%-]{20,})|(?:open\.feishu\.cn/open-apis/bot/v2/hook|open\.larksuite\.com/open-apis/bot/v2/hook)/([\w-]{20,})|oapi\.dingtalk\.com/robot/send\?access_token=(\w{20,})|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=([\w-]{20,})|api\.telegram\.org/bot(\d{6,}:[\w-]{30,}))`)

// findWebhook finds the path of a URL that lets each caller post a message.
func (s *scan) findWebhook(start, end int) {
	at := webhook.FindStringSubmatchIndex(s.Plain[start:end])
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] < 0 {
			continue
		}
		value := s.Plain[start+at[i] : start+at[i+1]]
		if !isPlaceholder(value) && !isPlaceholder(strings.ReplaceAll(value, "/", "")) && !strings.Contains(value, "/B00000000/") && !s.near(strongExample, start) {
			s.add(start+at[i], start+at[i+1], ruleWebhook)
		}
	}
}

// findBlocks finds private keys: PEM, OpenSSH, PGP and PuTTY blocks.
func (s *scan) findBlocks() {
	text := s.Plain
	for at := 0; ; {
		next := strings.Index(text[at:], "-----BEGIN ")
		if next < 0 {
			break
		}
		start := at + next
		at = start + len("-----BEGIN ")
		head := strings.Index(text[at:min(len(text), at+80)], "-----")
		if head < 0 || !strings.Contains(text[at:at+head], "PRIVATE KEY") {
			continue
		}
		from := at + head + 5
		end := len(text)
		if to := strings.Index(text[from:], "-----END "); to >= 0 {
			end = from + to
			if tail := strings.Index(text[end+5:min(len(text), end+100)], "-----"); tail >= 0 {
				end += tail + 10
			}
		} else if blank := strings.Index(text[from:], "\n\n"); blank >= 0 {
			end = from + blank
		}
		at = from
		if keyBytes(text[from:end]) >= 32 {
			s.add(start, end, ruleKeyBlock)
			at = end
		}
	}
	if at := strings.Index(text, "Private-Lines:"); at >= 0 {
		end := strings.Index(text[at:], "Private-MAC")
		if end < 0 {
			end = len(text) - at
		}
		if keyBytes(text[at:at+end]) >= 64 {
			s.add(at, at+end, ruleKeyBlock)
		}
	}
}

// keyBytes returns the length of the longest run of base64 in a text, over the ends of lines. It is
// 0 for a placeholder.
func keyBytes(text string) (longest int) {
	var run []byte
	keep := func() {
		if len(run) > longest && distinct(string(run)) >= 4 && !isFiller(string(run)) {
			longest = len(run)
		}
		run = run[:0]
	}
	for i := range len(text) {
		switch c := text[i]; {
		case base.has(c):
			run = append(run, c)
		case c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '>' || c == '|':
		case c == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 'r'):
		default:
			keep()
		}
	}
	keep()
	return longest
}

// isFiller reports whether the text of a key is a placeholder.
func isFiller(run string) bool {
	lower := strings.ToLower(run)
	for _, part := range []string{"example", "placeholder", "yourkey", "yourprivate", "redacted", "xxxxxxxx", "keygoeshere", "base64encoded", "keydata", "removed"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// findHeaders finds the credentials after the schemes of HTTP authentication.
func (s *scan) findHeaders() {
	for _, scheme := range []string{"bearer", "basic", "token", "apikey", "digest", "negotiate"} {
		for at := 0; ; {
			next := strings.Index(s.Lower[at:], scheme)
			if next < 0 {
				break
			}
			start := at + next
			at = start + len(scheme)
			if start > 0 && (isAlnum(s.Lower[start-1]) || s.Lower[start-1] == '_') || at >= len(s.Lower) {
				continue
			}
			from := at
			for from < len(s.Lower) && strings.IndexByte(" \t:=`\"'*", s.Lower[from]) >= 0 {
				from++
			}
			if from == at {
				continue
			}
			if next, broken := lineBreak(s.Plain, from); next > 0 && (broken || s.inAuthorization(start)) {
				from = next
			}
			s.findHeaderValue(scheme, start, from)
		}
	}
}

// inAuthorization reports whether a scheme at an offset follows the name of a header.
func (s *reader) inAuthorization(at int) bool {
	return strings.Contains(s.Lower[max(0, at-28):at], "authorization")
}

func (s *scan) findHeaderValue(scheme string, at, from int) {
	value, end := s.run(from, full, 400)
	if value == "" || isPlaceholder(value) {
		return
	}
	ok := false
	switch header := s.inAuthorization(at); scheme {
	case "basic":
		ok = isBasic(value)
	case "bearer":
		ok = len(value) >= 16 && isRandom(value) || header && len(value) >= 8 && isSecretive(value)
	default:
		ok = header && len(value) >= 8 && isSecretive(value)
	}
	if ok && !s.near(strongExample, at) {
		s.add(from, end, ruleHeader)
	}
}

// isBasic reports whether a value is a user and a password in base64, and the password is real.
func isBasic(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || len(raw) < 4 || !utf8.Valid(raw) {
		return false
	}
	user, password, ok := strings.Cut(string(raw), ":")
	for _, r := range string(raw) {
		if r < ' ' {
			return false
		}
	}
	if !ok {
		return false
	}
	return password != "" && !isPlaceholder(password) || password == "" && isRandom(user)
}

var (
	userOption = normtext.NewPattern(`(?:^|\s)(?:-u|--user|--proxy-user|-U|--auth|-a)(?:\s+|=)?["'` + "`" + `]?([\w.@+-]*):([^\s"'` + "`" + `<>]+)`)
	dashP      = normtext.NewPattern(`\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|mongo|mongosh|mongodump|docker login|podman login|helm registry login|htpasswd|smbclient|sqlcmd|redis-cli|ldapsearch|az login|ipmitool)\b[^\n|]*?\s(?:-p|-P|-a|-w)\s?["']?([^\s"'` + "`" + `-][^\s"'` + "`" + `]{3,})`)
	pgpass     = normtext.NewPattern(`(?m)^[\s>` + "`" + `]*[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w.*-]+:([^\s:` + "`" + `]{4,})[\s` + "`" + `]*$`)
	oracle     = normtext.NewPattern(`(?:thin:|sqlplus\s+(?:-\w+\s+)?)[\w$]+/([^\s@/"]+)@`)
	piped      = normtext.NewPattern(`\becho\s+(?:-n\s+)?["']?([^\s"'|]{6,})["']?\s*\|\s*(?:sudo -S|docker login|podman login|passwd|cryptsetup|chpasswd|gh auth|gpg|kinit|su\b)`)
)

// findCommands finds passwords in arguments of commands.
func (s *scan) findCommands() {
	s.findArgument(userOption, 2, "-u", "--user", "--proxy-user", "-U ", "--auth", " -a ")
	s.findArgument(dashP, 1, "mysql", "mariadb", "sshpass", "mongo", "docker login", "podman login", "helm registry", "htpasswd", "smbclient", "sqlcmd", "redis-cli", "ldapsearch", "az login", "ipmitool")
	s.findArgument(oracle, 1, "thin:", "sqlplus")
	s.findArgument(piped, 1, "| sudo -S", "--password-stdin", "|sudo -S", "| passwd", "chpasswd", "--with-token", "cryptsetup", "passphrase-fd", "kinit")
	if strings.Contains(s.Plain, ":*:") || strings.Contains(s.Lower, "pgpass") || strings.Contains(s.Plain, ":5432:") {
		s.findArgument(pgpass, 1, ":")
	}
}

func (s *scan) findArgument(pattern *normtext.Pattern, group int, keywords ...string) {
	if !containsAny(s.Plain, keywords) {
		return
	}
	for _, at := range pattern.FindAllStringSubmatchIndex(s.Plain, -1) {
		start, end := at[2*group], at[2*group+1]
		value := strings.TrimRight(s.Plain[start:end], ").,;")
		if isPlaceholder(value) || isVariableLike(value) || allDigits(value) && len(value) < 6 || filePath.MatchString(value) || !traitsOf(value).letters() && !allDigits(value) {
			continue
		}
		if option := s.Plain[at[0]:start]; group == 2 && strings.Contains(option, "-a") && !isSecretive(value) {
			continue
		}
		if group == 2 && value == s.Plain[at[2]:at[3]] || s.near(strongExample, start) || isWeak(value) && s.near(weakExample, start) {
			continue
		}
		s.add(start, start+len(value), rulePassword)
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
