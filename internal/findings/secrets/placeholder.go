package secrets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
)

// words returns the set of the words in a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// notValues are words in lower case that follow a label and are no credential: keywords of languages
// and schemas, states, names of stores, algorithms, and passwords that no one uses.
var notValues = words(`
	password passwd passwort kennwort contraseña contrasena senha пароль pass pwd pw passphrase secret secrets token tokens
	key keys apikey api_key api-key credential credentials value values string str text bytes varchar char bool boolean int
	integer number object array any unknown none null nil undefined void true false yes no on off empty unset default
	required optional mandatory missing invalid valid wrong incorrect correct hidden masked redacted encrypted hashed salted
	plain plaintext random generated auto automatic same different old new current n/a na tbd todo fixme example sample
	placeholder dummy fake mock foo bar baz foobar test tests testing user username admin root guest postgres mysql redis
	mongo rabbitmq minio minioadmin sa oracle changeme change-me change_me changeit change-it hunter2 hunter swordfish anonymous
	1password lastpass keepass keepassxc bitwarden vaultwarden dashlane nordpass keychain keeper passbolt vault env dotenv
	sops doppler infisical kms ssm secretsmanager oauth oauth2 saml2 sso ldap oidc mfa 2fa otp totp jwt bearer basic digest
	bcrypt scrypt argon2 argon2i argon2id pbkdf2 md5 sha1 sha256 sha512 sha-1 sha-256 sha-512 hmac aes aes256 aes-256 rsa
	ed25519 base64 base32 utf8 utf-8 x509 pkcs12 pem hex uuid uuid4 ascii self this obligatorio requerido pflicht leer
	pw1 pass1 passwd1 secret1 key1 token1 p4ss p@ss`)

// knownExamples are values from the documentation of vendors and from specifications.
var knownExamples = []string{
	"4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2", // Stripe
	"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "KMUFsIDTnFmyG3nMiGM6H9FNFUROf3wh7SmqJp-QV30", // jwt.io
	"TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
	"JBSWY3DPEHPK3PXP", "QWxhZGRpbjpvcGVuIHNlc2FtZQ", // RFC 7617 and the like
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq", "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM", // Azure emulators
	"6LeIxAcTAAAAA",                                // reCAPTCHA
	"mF_9.B5f-4.1JqM", "16C7e42F292c6912E7710c838", // RFC 6750, GitHub
	"4242424242424242",
}

// exampleParts in lower case make a value a placeholder.
var exampleParts = []string{
	"example", "placeholder", "your", "changeme", "change_me", "change-me", "dummy", "redacted", "notreal", "not-real", "not_real",
	"not-a-real", "not_a_real", "goes-here", "goes_here", "insert-", "insert_", "replace-", "replace_", "replaceme", "-here", "_here", "sample", "foobar", "fake",
	"abcdefgh", "deadbeef", "xxxx", "****", "....", "•", "…", "beispiel", "ejemplo",
	"exemple", "exemplo", "пример", "platzhalter", "lorem", "hunter2", "secret-value", "my-secret", "mysecret", "my_secret",
	"mypassword", "my-password", "my_password", "my-token", "my_token", "mytoken", "my-api", "my_api", "some-", "some_",
	"the-token", "the_token", "correct horse battery", "correct-horse-battery", "correcthorsebattery", "not-a-secret", "notasecret",
}

var (
	variable   = normtext.NewPattern(`^(?:\$\{?\w+\}?|\$\(.*|\$\{\{?.*|%\w+%|%[-+#0]?[a-zA-Z]|@\w+@|__\w+__|#\{.*|\{\{?.*|<.*|\[.*|\(.*|&\w+;?|:\w+|\?+|!\w+|-+|_+|=+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$`)
	expression = normtext.NewPattern(`^[A-Za-z_][\w.]*(?:\(|\[["'\w]|::|->)|[\w\])]\(\)?$|^(?:os|process|env|config|settings|secrets|vars|self|this|data|var|local|module|ctx|cfg|opts|args|params|req|request|form|user|row)\.[\w.]+$`)
	measure    = normtext.NewPattern(`(?i)^(?:v?\d+(?:[.,:/xX-]\d+)*(?:-?[a-z%]{1,6}|\+|th|rd|nd|st)?|\d+(?:-|–)?(?:chars?|characters?|digits?|bits?|bytes?|days?|hours?|minutes?|seconds?|months?|years?|word|words|stellig|zeichen)|\d{4}-\d\d?-\d\d?(?:t.*)?|\d{1,2}:\d\d.*|(?-i:[A-Z]{2,10}-\d{1,6})|#\d+|q[1-4](?:[-/]?\d+)?)$`)
	filePath   = normtext.NewPattern(`^(?:~?/|\.{1,2}/|[A-Za-z]:\\|\$HOME)|^[\w-]+(?:/[\w.-]+){2,}$|\.(?:md|txt|go|py|js|ts|tsx|rs|rb|java|json|ya?ml|toml|env|pem|key|crt|cfg|ini|conf|sh|sql|log|gpg|age|enc)$`)
)

// isPlaceholder reports whether a value, which is not empty, stands for a credential instead of
// being one.
func isPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	if notValues[lower] || distinct(value) < 3 || class(value[0]) != 'a' && class(value[0]) != '0' && variable.MatchString(value) {
		return true
	}
	for _, part := range exampleParts {
		if strings.Contains(lower, part) {
			return true
		}
	}
	if len(value) <= 24 && (strings.Contains(value, "0123456789") || strings.Contains(value, "1234567890")) {
		return true
	}
	for _, known := range knownExamples {
		if strings.Contains(value, known) {
			return true
		}
	}
	return strings.Contains(value, "${") || strings.Contains(value, "{{") || strings.Contains(value, "$(") || strings.HasPrefix(lower, "xxx") || strings.HasPrefix(lower, "--")
}

// distinct returns the number of different bytes in a text, up to 4.
func distinct(text string) (n int) {
	var seen [256]bool
	for i := 0; i < len(text) && n < 4; i++ {
		if !seen[text[i]] {
			seen[text[i]] = true
			n++
		}
	}
	return n
}

// weakParts in lower case occur in passwords that people invent for examples.
var weakParts = []string{"pass", "p@ss", "pa$$", "p4ss", "secret", "s3cr", "admin", "abc123", "1234", "letmein", "qwerty", "guest", "token", "welcome", "hunter", "trustno1", "geheim", "senha", "clave", "contras"}

// weakWords are parts of weak passwords that also occur in other words.
var weakWords = words(`test demo user foo bar baz key abc dev app`)

// isWeak reports whether a password may be one that a person has invented for an example.
func isWeak(value string) bool {
	lower := strings.ToLower(value)
	for _, part := range weakParts {
		if strings.Contains(lower, part) {
			return true
		}
	}
	for _, part := range identifierParts(value) {
		if weakWords[strings.TrimRight(part, "0123456789!")] {
			return true
		}
	}
	return len(value) < 8
}

// Words that show that values near them are invented. Strong ones count for each value, others for
// weak ones.
var (
	strongExample = normtext.NewPattern(`placeholders?\b|\bdumm(?:y|ies)\b|\bfakes?\b|\bmade[- ]up\b|\bnot (?:a )?real\b|\bisn't real\b|\bnever (?:was )?real\b|\binvented\b|\bbogus\b|\bfictional\b|(?:^|[^.\w])(?:example|sample|documentation|docs|doc|well-known|published|public) (?:aws |stripe |jwt |api |access |test |example )?(?:keys?|tokens?|values?|credentials?|secrets?|passwords?|jwts?|pairs?|strings?)\b|\bfrom (?:the |its |their |aws'?s? |stripe'?s? |vendor )*(?:\w+ )?(?:docs|documentation|readme|tutorial|rfc)\b|\btest vectors?\b|platzhalter|\bfiktiv|erfunden|\bficti[cf]|\bno es real|\binventad|\bfactice|\bfittizi|заглушк|вымышлен|выдуман|ダミー|プレースホルダ|占位|虚构|假的|더미|가짜|플레이스홀더`)
	weakExample   = normtext.NewPattern(`(?:^|[^.\w])examples?\b|\be\.g\.|\bsamples?\b|\bdocs?\b|\bdocumentation\b|\btutorial\b|\bfixtures?\b|\bmocks?\b|\bunit tests?\b|\btest data\b|\bseed data\b|\blint(?:er|s)?\b|\bscanner\b|\bregex\b|\bgitleaks\b|\blike\b|\bsuch as\b|\binstead of\b|\brather than\b|\bnever (?:use|write|commit|paste|put)\b|\bstrings?\b|beispiel|ejemplo|exemple|exemplo|esempio|например|пример|例えば|サンプル|の例|示例|例如|예시|예를`)
)

// mixed reports how the letters and digits of a run without separators change: the number of
// changes between upper case, lower case and digits, without the one after a capital.
func mixed(run string) (changes int) {
	for i := 1; i < len(run); i++ {
		a, b := class(run[i-1]), class(run[i])
		if a != b && !(a == 'A' && b == 'a') {
			changes++
		}
	}
	return changes
}

// class returns the kind of an ASCII byte: a, A, 0, or ! for others.
func class(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	case c >= '0' && c <= '9':
		return '0'
	}
	return '!'
}

func isAlnum(c byte) bool { return class(c) != '!' }

// isRandom reports whether a value looks as if a machine had made it: letters and digits alternate
// more than in words, identifiers and names of versions.
func isRandom(value string) bool {
	if len(value) < 8 {
		return false
	}
	var joined []byte
	separate, hasWord := 0, false
	for run := range strings.FieldsFuncSeq(value, func(r rune) bool { return r >= utf8.RuneSelf || !isAlnum(byte(r)) }) {
		if isRandomRun(run) {
			return true
		}
		separate++
		hasWord = hasWord || len(run) >= 4 && mixed(run) == 0 && class(run[0]) != '0' && vowels(run)*5 >= len(run)
		joined = append(joined, run...)
	}
	return separate > 1 && !hasWord && isRandomRun(string(joined))
}

func isRandomRun(run string) bool {
	changes := mixed(run)
	switch {
	case len(run) >= 20:
		if changes >= 4 && changes*6 >= len(run) {
			return true
		}
	case len(run) >= 12:
		if changes >= 4 && changes*4 >= len(run) {
			return true
		}
	case len(run) >= 8:
		if changes >= 4 && changes*3 >= len(run) {
			return true
		}
	}
	if len(run) < 16 || changes > 2 {
		return false
	}
	return class(run[0]) != '0' && vowels(run)*6 < len(run) || longestConsonants(run) >= 7
}

func vowels(run string) (n int) {
	for i := range len(run) {
		if strings.IndexByte("aeiouyAEIOUY", run[i]) >= 0 {
			n++
		}
	}
	return n
}

func longestConsonants(run string) (longest int) {
	current := 0
	for i := range len(run) {
		if class(run[i]) == '0' || strings.IndexByte("aeiouyAEIOUY", run[i]) >= 0 {
			current = 0
			continue
		}
		current++
		longest = max(longest, current)
	}
	return longest
}

// traits are the kinds of characters in a value.
type traits struct{ lower, upper, digit, symbol, separator, other bool }

func traitsOf(value string) (t traits) {
	for _, r := range value {
		switch {
		case r >= 'a' && r <= 'z':
			t.lower = true
		case r >= 'A' && r <= 'Z':
			t.upper = true
		case r >= '0' && r <= '9':
			t.digit = true
		case r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || r == ',' || r == '\'':
			t.separator = true
		case r < utf8.RuneSelf:
			t.symbol = true
		case unicode.IsUpper(r):
			t.upper, t.other = true, true
		case unicode.IsLetter(r):
			t.lower, t.other = true, true
		default:
			t.other = true
		}
	}
	return t
}

func (t traits) letters() bool { return t.lower || t.upper }

// isSecretive reports whether a value has the form of a password that people choose with care:
// letters, digits, and either symbols or both cases.
func isSecretive(value string) bool {
	t := traitsOf(value)
	return len(value) >= 8 && t.letters() && t.digit && (t.symbol || t.lower && t.upper && !t.separator) || isRandom(value)
}
