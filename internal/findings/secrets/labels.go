package secrets

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
	"memoir/internal/findings/prefix"
)

// kind is the kind of value that a label announces.
type kind uint8

const (
	password kind = iota
	phrase        // a password that may have several words
	short         // an abbreviation of password, which also means other things
	token
	key // a key of any kind, which may be public
	pin
	code
	cookie
	seed
	login     // a user and a password
	signature // only as a parameter of a URL
)

// label is a word in lower case that announces a credential. A strict one is no part of a longer
// word, but can be a part of an identifier.
type label struct {
	text   string
	kind   kind
	strict bool
}

var labels = indexLabels(map[kind]string{
	password: `password|passwd|passwort|kennwort|passwörter|contraseña|contrasena|contraseñas|mot de passe|mots de passe|senha!|palavra-passe|parola d'ordine|parola di accesso|
		пароль|пароля|паролю|паролем|пароле|пароли|パスワード|密码|密碼|口令|비밀번호|패스워드|암호|wachtwoord|hasło|lösenord|adgangskode|passord|salasana|jelszó|heslo|lozinka|şifre!|parola!|
		mật khẩu|كلمة المرور|كلمة السر|סיסמה|סיסמא|पासवर्ड|รหัสผ่าน|kata sandi|κωδικός|passcode|identified by|requirepass|zugangspasswort|passkey phrase`,
	phrase: `passphrase|pass phrase|passwortsatz|frase de contraseña|phrase secrète|phrase de passe|パスフレーズ|密码短语`,
	short:  `pwd!|pw!|pass!|psw!|mdp!|clave!|pswd!|pword!|passw!`,
	token: `totp seed|totp secret|otp secret|otp seed|api key|apikey|api-key|api_key|api keys|access key|access_key|access-key|accesskey|secret key|secretkey|secret_key|secret-key|private key|private_key|privatekey|client secret|signing key|signing_key|
		encryption key|encryption_key|auth key|auth_key|authkey|authtoken|_auth!|auth!|master key|master_key|masterkey|license key|licence key|account key|accountkey|shared key|deploy key|webhook key|integration key|ingest key|service key|service_role_key|
		service role key|storage key|admin key|account_key|token|secret|api-schlüssel|api schlüssel|zugriffstoken|zugangsschlüssel|geheimer schlüssel|geheimnis!|clave de api|clave api|clave secreta|clave de acceso|clé d'api|clé api|clé secrète|clé d'accès|jeton!|
		chave de api|chave da api|chave api|chave secreta|chave de acesso|chiave api|chiave segreta|api ключ|api-ключ|ключ api|секретный ключ|ключ доступа|токен|トークン|apiキー|シークレット|秘密鍵|アクセスキー|密钥|密鑰|令牌|金鑰|토큰|api 키|api키|시크릿|액세스 키|비밀 키`,
	key:       `key!|schlüssel!|ключ!`,
	pin:       `pin!|puk!|pin code|pin-code|door code|gate code|alarm code|access code|entry code|lock code|safe code|key safe|key box|lockbox|schlüsseltresor|schlüsselbox|zugangscode|türcode|tür-code|pin-nummer|alarmcode|código de acceso|código de la puerta|code d'accès|código de acesso|暗証番号|pinコード`,
	code:      `recovery code|recovery codes|backup code|backup codes|2fa codes|mfa codes|wiederherstellungscode|wiederherstellungscodes|códigos de recuperación|codes de secours|резервные коды|恢复码|復旧コード|リカバリーコード`,
	cookie:    `cookie|set-cookie|session id|sessionid|session_id|session-id|phpsessid|jsessionid|connect.sid|asp.net_sessionid|session cookie|sid!`,
	seed:      `seed phrase|seed words|recovery phrase|recovery words|mnemonic|secret recovery phrase|wallet seed|seed-phrase|wiederherstellungsphrase|frase semilla|phrase de récupération|助记词|シードフレーズ|시드 문구|мнемоник|сид-фраза|сид фраза`,
	login:     `credentials|creds!|credential!|login!|logins!|log in with|log in as|zugangsdaten|anmeldedaten|login-daten|logindaten|zugang!|credenciales|acceso!|identifiants|accès!|credenciais|credenziali|учётные данные|учетные данные|логин!|доступ!|ログイン|認証情報|账号|帳號|账户|凭据|계정|로그인`,
	signature: `sig!|signature!|x-amz-signature|x-goog-signature`,
})

// indexLabels returns the labels, the longest first.
func indexLabels(byKind map[kind]string) *prefix.Index[label] {
	var all []label
	for k, list := range byKind {
		for text := range strings.SplitSeq(list, "|") {
			text, strict := strings.CutSuffix(strings.TrimSpace(text), "!")
			all = append(all, label{text, k, strict})
		}
	}
	slices.SortFunc(all, func(a, b label) int { return len(b.text) - len(a.text) })
	var index prefix.Index[label]
	for _, l := range all {
		index.Add(l.text, l)
	}
	return &index
}

// notCredentials are words after a label, or parts of an identifier after it, with which it
// announces something else than a credential.
var notCredentials = words(`
	hash hashed hashes hashing policy policies manager managers field fields reset resets length strength prompt dialog form input
	file files filename path paths dir directory store stores storage expiry expires expired expiration ttl rotation rotations rotate rotated
	count counts limit limits limiter budget budgets usage bucket buckets type types name names id ids env var variable variables url uri endpoint
	ref reference arn alias label location check checker checks validation validator format pattern regex rule rules required requirement requirements
	min max minimum maximum version algorithm cost price window size sizes rate stream ring generator entropy age history attempts
	column table model class service provider providers handling header headers scope scopes permission permissions owner holder page screen flow link
	email mail hint hints question protected protection less based encryption encrypted fingerprint kid change changes pair pairs binding bindings
	order range space schema prefix suffix map mapping lookup value values authentication grant refresh interval lifetime source exchange introspection
	parser revocation issuer audience claim claims cache placeholder example placeholders examples leak leaks leaked scan scanner scanning scanners
	sharing sync syntax ordering stuffing spray spraying guidelines standard standards process recovery mask visible toggle component button icon
	created updated modified at since until days hours minutes seconds status state enabled disabled`)

// notBefore are words before a label with which it announces something else than a credential.
var notBefore = words(`
	public primary foreign cache sort partition idempotency host object map translation i18n issue project site publishable anon hot
	shortcut natural composite unique index dedupe dedup group row shard cursor page next continuation pagination design cancellation stop eos bos
	special max per input output completion total prompt context gpio header no without pubkey lookup hash correlation trace request span
	message event config feature flag file sheet document board design storage_key keyboard csrf xsrf cancel pad padding unk mask sep think reasoning cached`)

// keyOwners are words before "key" with which it is secret.
var keyOwners = words(`api access secret private encryption signing auth master admin service account license licence shared integration webhook
	session deploy app application server prod production staging live aes hmac jwt wireguard preshared psk wifi sendgrid mailgun datadog openai anthropic stripe google
	maps geocoding algolia sentry segment amplitude mixpanel twilio ssh root vault backup restic borg`)

// findLabels finds values behind labels.
func (s *scan) findLabels() {
	text := s.Lower
	for i := 0; i < len(text); i++ {
		for _, l := range labels.At(text, i) {
			if !strings.HasPrefix(text[i:], l.text) {
				continue
			}
			end := i + len(l.text)
			if l.strict && !s.wordStart(i) || l.kind != token && l.kind != password && l.text[0] < utf8.RuneSelf && !s.wordStart(i) {
				continue
			}
			s.findLabelled(l, i, end)
			i = end - 1
			break
		}
	}
}

// wordStart reports whether a word, or a part of an identifier, starts at an offset.
func (s *reader) wordStart(at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s.Plain[:at])
	if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
		return true
	}
	here, _ := utf8.DecodeRuneInString(s.Plain[at:])
	return unicode.IsLower(before) && unicode.IsUpper(here) || isSpaceless(before)
}

// isSpaceless reports whether a character belongs to a script without spaces, or is Hangul.
func isSpaceless(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r <= 0x303f || r == 'ー'
}

const (
	none   link = iota
	strong      // after a colon, an equals sign or an arrow
	weak        // after a verb or a dash
	quoted      // in quotes
	bare        // after a space
)

// findLabelled finds the value behind one label.
func (s *scan) findLabelled(l label, start, end int) {
	at, identifier, ok := s.labelEnd(l, start, end)
	if end == len(s.Plain) && (l.kind == password || l.kind == phrase) {
		s.findBefore(start)
	}
	if !ok || notBefore[s.wordBefore(start)] && l.kind >= token && l.kind <= pin {
		return
	}
	if l.kind == pin && strings.HasPrefix(l.text, "p") && len(l.text) == 3 && s.Plain[start:end] != strings.ToUpper(l.text) {
		return
	}
	identifier = identifier || start > 1 && s.Plain[start-2:start] == "--" || l.kind == password && strings.Contains(lineBefore(s.Lower, start), "login ")
	how, from := s.link(at, identifier)
	if how != none && s.findLinked(l, start, how, from, identifier) {
		return
	}
	if how == none || how == bare {
		if how, from, ok := s.distantLink(l, at); ok && s.findLinked(l, start, how, from, identifier) {
			return
		}
	}
	if l.kind == password || l.kind == phrase {
		s.findBefore(start)
	}
}

var valueBefore = normtext.NewPattern("(?:^|\\s)([`\"“„]?)([^\\s`\"“”]{8,64})[`\"”“]?,? (?:is|it is|ist|es|est|è|é|as|als|como|comme|come|—|–|=) (?:(?:the|our|its|my|das|la|le|el|o|a|il|unser|nuestra|notre) )?(?:[\\pL-]+ ){0,2}$")

// findBefore finds a password before its label: "X is the password".
func (s *scan) findBefore(label int) {
	start := max(0, label-120)
	start += strings.LastIndexByte(s.Lower[start:label], '\n') + 1
	at := valueBefore.FindStringSubmatchIndex(s.Plain[start:label])
	if at == nil {
		return
	}
	v := s.Plain[start+at[4] : start+at[5]]
	if t := traitsOf(v); !isSecretive(v) || !t.symbol && at[2] == at[3] || strings.Contains(v, "://") || isPlaceholder(v) || filePath.MatchString(v) || expression.MatchString(v) || measure.MatchString(v) {
		return
	}
	if !s.near(strongExample, label) && !(isWeak(v) && s.near(weakExample, label)) {
		s.add(start+at[4], start+at[5], rulePassword)
	}
}

// findLinked finds the value at an offset behind a label, and reports whether there is one.
func (s *scan) findLinked(l label, start int, how link, from int, identifier bool) bool {
	before := len(s.hits)
	switch l.kind {
	case login:
		s.findLogin(from)
	case seed:
		s.findSeed(from)
	case code:
		s.findCodes(from)
	case pin:
		s.findPIN(from)
	default:
		v, ok := s.value(from, how, start)
		if !ok {
			return false
		}
		c := labelled{label: l, value: v, how: how, identifier: identifier, start: start}
		if rule := s.judge(&c); rule != "" {
			s.add(c.value.start, c.value.end, rule)
		}
	}
	return len(s.hits) > before
}

// labelEnd returns the end of the identifier or word that a label belongs to. ok is false if it
// announces no credential.
func (s *reader) labelEnd(l label, start, end int) (at int, identifier, ok bool) {
	text := s.Plain
	if end >= len(text) {
		return 0, false, false
	}
	identifier = start > 0 && (text[start-1] == '_' || text[start-1] == '.') || start > 1 && isAlnum(text[start-1]) || start > 0 && text[start-1] == '$'
	next, size := utf8.DecodeRuneInString(text[end:])
	if l.text[len(l.text)-1] >= utf8.RuneSelf && isSpaceless(next) {
		return end, false, true
	}
	if unicode.IsLetter(next) && !(unicode.IsUpper(next) && unicode.IsLower(lastRune(text[:end]))) {
		rest := text[end+size:]
		after, _ := utf8.DecodeRuneInString(rest)
		if next != 's' && next != 'S' || unicode.IsLetter(after) || l.kind == key {
			return 0, false, false
		}
		end += size
	}
	at = end
	for at < len(text) && (isAlnum(text[at]) || text[at] == '_' || (text[at] == '-' || text[at] == '.') && at+1 < len(text) && isAlnum(text[at+1])) {
		at++
	}
	if at > end {
		identifier = true
		for _, part := range identifierParts(text[end:at]) {
			if notCredentials[part] {
				return 0, false, false
			}
		}
		if text[end] == '-' && l.kind != token && at < len(text) && text[at] == ' ' {
			return 0, false, false // password-protected
		}
	}
	return at, identifier, true
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// identifierParts returns the words of an identifier in lower case.
func identifierParts(identifier string) []string {
	var parts []string
	start := 0
	flush := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(identifier[start:end]))
		}
	}
	for i := range len(identifier) {
		switch c := identifier[i]; {
		case !isAlnum(c):
			flush(i)
			start = i + 1
		case i > start && class(c) == 'A' && class(identifier[i-1]) == 'a':
			flush(i)
			start = i
		}
	}
	flush(len(identifier))
	return parts
}

// wordBefore returns the word before an offset in lower case: the part before the last space,
// underscore or hyphen.
func (s *reader) wordBefore(at int) string {
	end := at
	for end > 0 && strings.IndexByte(" _-.*`\"", s.Lower[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && isAlnum(s.Lower[start-1]) && (start == at || start == end || !(class(s.Plain[start]) == 'A' && class(s.Plain[start-1]) == 'a')) {
		start--
	}
	return s.Lower[start:end]
}

// closers are characters that close a quoted or emphasised label.
const closers = "\"'`*_])"
