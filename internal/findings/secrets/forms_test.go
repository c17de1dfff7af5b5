package secrets_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"memoir/internal/findings"
	"memoir/internal/findings/secrets"
)

// joined puts a credential together, so that no scanner takes this file for one that has leaked
// something.
func joined(parts ...string) string { return strings.Join(parts, "") }

// In each text, the credentials to be found are between « and ».
var withSecrets = []string{
	// Labels in English.
	"The staging password is «Brunnen!47».",
	"Admin password: «gT7#mQ2x»",
	"**Password:** `«Kiesel-Tor-88»`",
	"Postgres password for the `reporting` role is `«vT5nqXw2»` (read only).",
	"pw: «Zaunk0enig!»",
	"Login for the demo box: admin / «Vulkan#2291»",
	"The Wi-Fi password at the office is \"«blue-otter-71»\".",
	"passphrase = \"«anchor velvet tundra mosaic pickle»\"",
	"The root password was changed to «Wq8!rtLm» on Monday.",
	"Use the password «Wq8!rtLmZ» when sudo asks.",
	"Credentials: `deploy` / `«Xr7pLm2Qv9»`",
	"user: ada\npassword: «sunflower»\n",
	"The database password is:\n\n    «k9$Tulpe22»\n",
	"Password for ada@db01: «Rz6tKp0qW»",
	"Password (staging): «hV3-pLq-88x»",
	"We reset the Grafana admin password to «Nebel_4711!».",
	"The keystore uses passphrase «tR7!uvWx».",
	"The PIN for the server room is «482913».",
	"Alarm code: «7391»",
	"HR portal password → «Mz2!pqRs»",
	"Our shared inbox (pass: «q7Wz!40m») is checked daily.",
	// Other languages.
	"Das Passwort für Staging lautet «Kranich!83».",
	"Datenbank-Passwort: «hX92mmQp»",
	"Kennwort: `«Eule2024!»`",
	"La contraseña del servidor de pruebas es «Luna#4821».",
	"Contraseña: «gato-Azul77»",
	"clave: «Mx72!kkpz»",
	"Le mot de passe de la base est «Cerise!92».",
	"Mot de passe : «Fx81mmvQ»",
	"A senha do banco de homologação é «Praia@2231».",
	"senha: «kM82xqW1»",
	"La password del router è «Gelato!556».",
	"Пароль от стенда: «Zima!7741»",
	"Пароль для базы — «qW82xkM1»",
	"ステージングのパスワードは「«Sakura!882»」です。",
	"パスワード：«hK82mmQz»",
	"测试环境的密码是«Xiong!882»，不要外传。",
	"数据库密码：«mZ82kkQw»",
	"스테이징 비밀번호는 «Bada!7712»입니다.",
	"Wachtwoord: «Tulp!8832»",
	// Keys and tokens with a label.
	"DATADOG_API_KEY=«" + joined("9f8e7d6c5b4a", "39281706f5e4d3c2b1a0") + "»",
	"api_key: \"«" + joined("Qm7xT2vL9", "pRw4KzN8bYc") + "»\"",
	"\"client_secret\": \"«" + joined("vN8~Q2xLr.7mKp", "3TzWbYc5HdFgJ") + "»\"",
	"The Sonar token is «" + joined("squ_8f2b6c0d4e9a", "1f3b5d7c9e0a2b4c6d8e") + "».",
	"Mailchimp API key: `«" + joined("3f9a8c7b6d5e4f3a", "2b1c0d9e8f7a6b5c-us14") + "»`",
	"AWS_SECRET_ACCESS_KEY=«" + joined("kT9vQ2xLr7mKp3Tz", "WbYc5HdFgJ8nPq1sXu4eRo") + "»",
	"Der API-Schlüssel ist «" + joined("Zt7kPq9wLm2x", "Vb4nRc8y") + "».",
	"Токен: «" + joined("a8f3c9d2e7b1", "4056f8a3c9d2e7b1") + "»",
	"API密钥：«" + joined("Wk82mmQzP7", "xT3vLc9RbN") + "»",
	"The Heroku API key is «" + joined("3f2b8c1d-7e4a-4b9f", "-a6c5-d8e7f9012b34") + "».",
	"The TOTP secret is «" + joined("K5QWY3DPEH2K", "7PXPM4ZA") + "».",
	"License key: «" + joined("8FJ2-K3LD-", "9Q2W-X7ZT-M4PB") + "»",
	// Tokens of vendors, as they stand in sentences.
	"The bot uses «" + joined("ghp_", "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R") + "».",
	"Key («" + joined("sk-ant-api03-", strings.Repeat("x9Kd82mQpL", 9), "AA") + "») is in use.",
	"key `«" + joined("sk-proj-", "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R") + "»`, budget 20 $",
	"Stripe: «" + joined("sk_live_", "x9Kd82mQpLr7VbNw3TzYh6Fc") + "»",
	"The access key is «" + joined("AKIA", "Z7QH3WTYUJ2LNB4V") + "», secret «" + joined("q8Lr7mKp3TzWbYc5", "HdFgJ8nPq1sXu4eRokT9vQ2x") + "».",
	"Telegram bot: https://api.telegram.org/bot«" + joined("712345678:", "AAHx9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5") + "»/getMe",
	"hf: «" + joined("hf_", "x9KdQmQpLrVbNwTzYhFcJsGaUeXoRbTvWk") + "» works",
	"«" + joined("glpat-", "x9Kd82mQpLr7VbNw3TzY") + "» is for CI",
	// URLs.
	"DATABASE_URL=postgres://app:«s7Kq9wLm»@db.internal:5432/app",
	"The old wiki: https://bot:«Kestrel!22»@wiki.corp.net/api",
	"redis://:«p4vN82kQ»@cache-1.internal:6379/0",
	"mongodb+srv://writer:«Qz7%21mmKp»@cluster0.ab1cd.mongodb.net/prod",
	"amqp://ci:«rabbit-Fjord-82»@mq.corp.net",
	"git clone https://oauth2:«" + joined("glpat-", "x9Kd82mQpLr7VbNw3TzY") + "»@gitlab.corp.net/a/b.git",
	"Call https://api.corp.net/v1/report?api_key=«" + joined("Qm7xT2vL9p", "Rw4KzN8bYc") + "»&format=csv",
	"app:«Moss#9981»@tcp(db-2.internal:3306)/shop?parseTime=true",
	// Webhooks.
	"Post to https://hooks.slack.com/services/«" + joined("T02AB3CD4", "/B05EF6GH7/", "x9Kd82mQpLr7VbNw3TzYh6Fc") + "».",
	"https://discord.com/api/webhooks/«" + joined("1123456789012345678", "/x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0Rx9Kd82mQpLr7VbNw3TzYh6Fc") + "»",
	// Headers and commands.
	"curl -H 'Authorization: Bearer «" + joined("x9Kd82mQpLr7", "VbNw3TzYh6Fc") + "»' https://api.corp.net",
	"Authorization: Basic «" + base64.StdEncoding.EncodeToString([]byte("svc-report:Kestrel!22")) + "»",
	"`X-Api-Key: «" + joined("x9Kd82mQpLr7", "VbNw3TzYh6Fc") + "»`",
	"curl -u ops:«Kestrel!22» https://grafana.corp.net/api/health",
	"mysql -h db -u root -p«Kestrel!22» shop",
	"sshpass -p '«Kestrel!22»' ssh pi@10.0.0.4",
	"borg init --passphrase «Kestrel22x» /mnt",
	"PGPASSWORD=«mossyFjord8» psql -h db",
	"echo «Kestrel!22» | sudo -S reboot",
	"Cookie: session=«" + joined("x9Kd82mQpLr7VbNw3", "TzYh6FcJs1GaUe5Xo0R") + "»; theme=dark",
	// Files.
	"machine git.corp.net login ci password «mossyFjord8»",
	"db.corp.net:5432:app:writer:«mossyFjord8»",
	"//registry.npmjs.org/:_authToken=«" + joined("npm_", "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R") + "»",
	"{\"auths\": {\"r.corp.net\": {\"auth\": \"«" + base64.StdEncoding.EncodeToString([]byte("ci-push:Kestrel!22")) + "»\"}}}",
	"Server=sql1;Database=shop;User Id=app;Password=«Kestrel!22»;Encrypt=true",
	"host=db port=5432 user=app password=«mossyFjord8» dbname=shop",
	"spring.datasource.password=«mossyFjord8»",
	"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=«" + joined("kT9vQ2xLr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRo", "kT9vQ2xLr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRo8xAB==") + "»;EndpointSuffix=core.windows.net",
	"| host | user | password |\n|---|---|---|\n| db1 | app | «mossyFjord8» |\n",
	// Blocks.
	"The deploy key:\n\n«" + joined("-----BEGIN OPENSSH ", "PRIVATE KEY-----\n", strings.Repeat("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n", 3), "-----END OPENSSH ", "PRIVATE KEY-----") + "»\n\nRotate it.",
	"«" + joined("-----BEGIN PGP ", "PRIVATE KEY BLOCK-----\n\n", strings.Repeat("lQOYBGPq1s8BCADc7x9Kd82mQpLr7VbNw3TzYh6Fc\n", 3), "-----END PGP ", "PRIVATE KEY BLOCK-----") + "»",
	"Seed phrase: «orbit canyon velvet puzzle ladder frozen meadow copper giraffe tunnel silver wagon»",
	"Recovery codes: «8f3k-92mx, 7d2p-44qz, x91m-02kd»",
	// Hidden forms.
	"Token: «gh" + joined("p\\_", "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R") + "»",
	"pass\u200bword: «Kes\u200btrel!22»",
	"password&#58; «Kestrel&#33;22»",
	"ｐａｓｓｗｏｒｄ：«Ｋｅｓｔｒｅｌ２２»",
	"The token is «" + joined("ghp_", "x9Kd82mQpLr7VbNw\\\n    3TzYh6FcJs1GaUe5Xo0R") + "» now.",
	"The token is «" + joined("ghp_", "x9Kd82mQpLr7VbNw\n3TzYh6FcJs1GaUe5Xo0R") + "» now.",
	"The password is **«Kestrel!22»**.",
	"The password is <code>«Kestrel!22»</code>.",
}

// split takes the marks out of a text, and returns the ranges between them.
func split(text string) (plain string, ranges [][2]int) {
	var b strings.Builder
	start := 0
	for _, r := range text {
		switch r {
		case '«':
			start = b.Len()
		case '»':
			ranges = append(ranges, [2]int{start, b.Len()})
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), ranges
}

func TestAll_Secrets(t *testing.T) {
	t.Parallel()
	for _, marked := range withSecrets {
		text, want := split(marked)
		found := secrets.All(text)
		var got []string
		for _, f := range found {
			got = append(got, text[f.Start:f.End]+" ("+f.Rule+")")
		}
		if len(found) != len(want) {
			t.Errorf("All(%q) = %q, want %d", text, got, len(want))
			continue
		}
		for i, f := range found {
			if f.Start != want[i][0] || f.End != want[i][1] {
				t.Errorf("All(%q) = %q, want %q", text, got, text[want[i][0]:want[i][1]])
			}
			if words := len(strings.Fields(secrets.Reason(f.Rule))); words == 0 || words > 8 {
				t.Errorf("reason of %s = %q", f.Rule, secrets.Reason(f.Rule))
			}
		}
	}
}

var withoutSecrets = []string{
	"The password is rotated every 90 days.",
	"The password is required.", "Password: required", "password: string", "`password`: `varchar(255)`", "Passwords must have at least 12 characters.",
	"Password: 1Password, vault Infra, item “db”.", "The password is stored in Vault under secret/data/db.",
	"The password is in the 1Password item `staging-db-01`.", "Password: see Bitwarden #4312",
	"The linter flags `password = \"hunter2\"` in fixtures.", "Use `hunter2` as the placeholder password in docs.",
	"Docs use the fake token ghp_" + "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R; it was never real.",
	"password: changeme", "password: ********", "password: xxxxxxxx", "password=${DB_PASSWORD}", "password: $DB_PASSWORD", "--password \"$PW\"", "password: <your password>",
	"password: {{ vault_db_password }}", "password = os.environ[\"DB_PASSWORD\"]", "password = getPassword(user)", "password: config.db.password", "const password = req.body.password;",
	"password := r.FormValue(\"password\")", "if password == \"\" {", "password_hash: $2b$12$abcdefghijklmnopqrstuv", "password hash: argon2id", "password length: 16", "passwords are hashed with argon2id",
	"postgres://user:password@localhost:5432/db", "postgres://postgres:postgres@localhost/app", "postgres://app:app@db:5432/app", "mongodb://<user>:<password>@host/db", "postgres://app:$DB_PASS@db.corp.net/app",
	"https://user:pass@example.com", "amqp://guest:guest@localhost:5672", "https://medium.com/@ada/post-12", "http://localhost:8080/a@b", "https://3f9a8c7b6d5e4f3a2b1c0d9e8f7a6b5c@o123.ingest.sentry.io/4501",
	"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer your-token-here", "send an `Authorization: Bearer …` header", "The bearer token expires after 15 minutes.", "Authorization: Basic dXNlcjpwYXNz", "Basic auth is enabled on staging.",
	"AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY are from the AWS docs.", "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ." + "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	"Set `STRIPE_SECRET_KEY` in `.env`.", "STRIPE_SECRET_KEY=sk_live_...", "OPENAI_API_KEY=sk-your-key-here", "api_key: YOUR_API_KEY", "The API key is in AWS Secrets Manager as prod/stripe/api-key.",
	"token budget: 200000", "max_tokens: 8192", "Token: 2,000 per request", "The token limit is 128k.", "cache key: user:v2:8f3k92", "idempotency key: 3f2b8c1d-7e4a-4b9f-a6c5-d8e7f9012b34", "primary key: order_id2",
	"Commit 9fceb02d0ae598e95dc970b74767f19372d6181f fixed the token refresh.", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "integrity: sha512-x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0Rx9Kd82mQpLr7VbNw3TzYh6Fc==",
	"The public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMx9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0Rx ada@laptop", "Key fingerprint: SHA256:x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0Rx9Kd82m", "publishable key: pk_live_" + "x9Kd82mQpLr7VbNw3TzYh6Fc",
	"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----", "-----BEGIN RSA " + "PRIVATE KEY-----\n...\n-----END RSA " + "PRIVATE KEY-----", "Files starting with `-----BEGIN " + "PRIVATE KEY-----` must not be committed.",
	"Das Passwort liegt in 1Password.", "Das Passwort wird alle 90 Tage gewechselt.", "Passwort: siehe Bitwarden", "La contraseña está en el gestor.", "La contraseña es obligatoria.", "El nombre es clave: define la ruta.", "Le mot de passe est dans Bitwarden.", "A senha fica no cofre.", "Пароль хранится в Vault.", "パスワードは1Passwordにあります。", "パスワードは必須です。", "密码保存在 1Password 中。", "密码是必填项。", "비밀번호는 1Password에 있습니다.",
	"The PIN is 4 digits.", "Pin the version: 1.24.3", "pin: 4711 (GPIO header)", "The session id is 3f2b8c1d-7e4a-4b9f-a6c5-d8e7f9012b34.", "originSessionId: e04591ce-cb79-55cf-ae2e-11f65e0c876e",
	"Login: https://console.corp.net/login2?x=1", "Login with SSO / Okta.", "Credentials are in Vault / AWS.", "login: see ops/README.md", "The seed phrase is kept by Ada in the safe and never in a file or a chat or a memory that others read.",
	"docker run -p 8080:8080 -u 1000:1000 app", "curl -u $USER:$PASS https://x.corp.net", "mysql -u root -p", "psql -p 5433", "ssh -p 2222 ada@host", "Authorization header uses the Token scheme.", "secretName: db-credentials-v2", "secret: prod/db/password", "secrets: inherit", "The secret is to run the tests twice.",
	"tokenizer: cl100k_base", "keyboard: K380s", "auth: scram-sha-256", "auth: required", "tests pass: 120", "pass: 3/3", "password manager: KeePassXC2", "Password reset link: https://corp.net/reset?id=8f3k92mx", "**Key:** value, **secret:** none",
	"feature key: checkout-v2-enabled", "S3 key: exports/2026/orders-v2.parquet", "Translation key: checkout.summary.title2", "The key is `user_id:2024-01-01`.", "Design token: color-primary-500", "csrf token: refreshed per request",
	"password: !vault |", "password: \"\"", "password: null", "\"password\": {\"type\": \"string\", \"minLength\": 12}", "<input type=\"password\" name=\"pw2\">", "autocomplete=\"current-password2\"", "password=%s", "password: ENC[AES256_GCM,data:x9Kd82mQpLr7]", "op://Infra/staging-db/password", "password: op://Infra/db1/password",
	"Snyk ignores 3f2b8c1d-7e4a-4b9f-a6c5-d8e7f9012b34 until May.", "datadog-agent commit 9fceb02d0ae598e95dc970b74767f19372d6181f", "image: ghcr.io/acme/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "JBSWY3DPEHPK3PXP is the example secret of the TOTP docs.", "secret: JBSWY3DPEHPK3PXP",
	"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "Slack webhook URL is in Vault (`slack/deploys`).", "Recovery codes are in the safe.", "backup code: scripts/backup.sh",
}

// moreSecrets each have a credential, in forms that people write.
var moreSecrets = []string{
	"vpn: user ada.k, pw Zebra-Hut.71 (changes in May)",
	"sftp.corp.example with deploy / k3Nn!-Lark",
	"the router's admin login is admin:Wl4n#Kueche",
	"Basic auth for staging: preview:Lark!2026x",
	"staging is behind basic auth (preview / larkspur-88)",
	"SMTP: smtp.corp.example:587, user mailer, password Tr0ut&Fern",
	"db creds -> writer:hT8vq2Lm@db1",
	"root pw of the old nas = oldNas_77!",
	"api-key: 7f3e9a1c5b8d2f6047e9c1a3b5d7f902",
	"Zugang zum Kundenportal: kunde@firma.example / Regen!Tag44",
	"WLAN-Passwort Büro: Teekanne-19-Blau",
	"Passwort für den Testkunden: Test!Kunde2026q",
	"Zugangsdaten FTP: web12 / hR4-zu!9k",
	"PW vom Shop-Backend ist Lampe#Ost5",
	"La clave del wifi es Oliva-Roja-55",
	"usuario admin y contraseña Tren!Azul8",
	"identifiant: cms, mot de passe: Bouleau_72!",
	"パスワードは Yuki!2291 です",
	"ログインは admin / Yuki!2291",
	"账号 admin 密码 Xue!2291",
	"WiFi 密码: bamboo8821x",
	"Пароль админа: Sneg-2291!",
	"логин admin, пароль Sneg-2291!",
	"비밀번호: Nun!2291x",
	"postgresql://svc_report:9vLq%24mT2@pg-replica.corp.example:5432/report?sslmode=require",
	"jdbc:postgresql://db1/app?user=app&password=vLq9mT2x",
	"mysql://root:Moor!hen9@127.0.0.1:3306/shop",
	"redis-cli -h cache1 -a vLq9mT2xKp",
	"AMQP_URL=amqps://prod:vLq9mT2xKp@rabbit.corp.example/prod",
	"docker login -u ci -p vLq9mT2xKp registry.corp.example",
	"wget --user=ada --password=vLq9mT2x https://files.corp.example/a.zip",
	"http -a ada:Moor!hen9 https://api.corp.example/v1",
	"curl --user 'ada:Moor!hen9' https://x.example",
	"account sid AC0123 and auth token 7f3e9a1c5b8d2f6047e9c1a3b5d7f902",
	"The encryption passphrase of the backups is \"amber quilt forty otter\".",
	"restic password: amber-quilt-forty-otter",
	"BIP39 seed words: orbit canyon velvet puzzle ladder frozen meadow copper giraffe tunnel silver wagon",
	"Door code of the office 4417#",
	"Türcode Büro: 2291",
	"The safe's PIN: 771 934",
	"2FA backup codes:\n- 8841-2290\n- 1173-9942",
	"TOTP seed for the shared account: ONSWG4TFOQQGW33TMVZA",
	"SAS url https://acme.blob.core.windows.net/x?sv=2023-01-03&sig=q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRokT9vQ2x%3D&se=2027-01-01",
	"secret_key_base: 7f3e9a1c5b8d2f6047e9c1a3b5d7f9027f3e9a1c5b8d2f6047e9c1a3b5d7f902",
	"Django SECRET_KEY = 'x7!k2@9q#m4$v8&z1^t5*r3(w6)p0-b'",
	"Algolia admin key 7f3e9a1c5b8d2f6047e9c1a3b5d7f902 (not the search key)",
	"Use key `7f3e9a1c5b8d2f6047e9c1a3b5d7f902` for the geocoder.",
	"Session cookie for the crawler: connect.sid=s%3Aq8Lr7mKp3TzWbYc5HdFgJ8nPq1sX.u4eRokT9vQ2x",
	"Jenkins API token 11a7f3e9a1c5b8d2f6047e9c1a3b5d7f90",
	"<server><username>ci</username><password>Moor!hen9</password></server>",
	"password:\n  Moor!hen9",
	"pass\\_word: Moor\\!hen9",
	"The test user is `ada@corp.example` with password `Moor!hen9`.",
	"log in as root (Moor!hen9)",
	"| Service | Login | Passwort |\n| --- | --- | --- |\n| CMS | web | Moor!hen9 |",
	"passwd is Moor!hen9 since the reset",
	"ssh pi@10.0.0.7, pass raspb3rry-Attic",
	"GPG passphrase → Kiln!Sparrow7",
	"The vendor portal's password hasn't changed: Moor!hen9",
	"Nextcloud: https://cloud.corp.example, user=office pw=Marder_Bau9",
	"El FTP: host ftp.x.example / user web22 / pass Nube-Gris-41",
	"The IMAP account is info@x.example, its password \"Kupfer Dach 12!\"",
	"Zugang Hetzner: kunde 12345, Passwort: \u201eGiraffe#Tor7\u201c",
	"wifi: LanternGuest / candle-Wick-88",
	"db: `psql \"host=db1 user=ro password=Fjord7lamp dbname=x\"`",
	"set PGPASSWORD to Fjord7lamp before running psql",
	"API token (read only): 3q8Lr7mKp3TzWbYc5HdFgJ8nPq",
	"Authorization: Token 7f3e9a1c5b8d2f6047e9c1a3b5d7f90212345678",
	"headers = {\"Authorization\": \"Bearer q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eR\"}",
	"npm: //npm.corp.example/:_password=TW9vciFoZW45",
	".htpasswd: preview:$apr1$x9Kd82mQ$pLr7VbNw3TzYh6FcJs1Ga.",
	"client id 4711, client secret q8Lr7mKp3TzWbYc5HdFg",
	"password = 'Fjord7lamp'  # staging",
	"\"password\": \"Fjord7lamp\"",
	"password => 'Fjord7lamp',",
	"adminPassword: Fjord7lamp",
	"SMTP_PASS=Fjord7lamp",
	"Das Root-Kennwort vom NAS ist immer noch Sommer2019!",
	"The code for the key safe is 5582.",
	"Mot de passe du wifi invité : lanterne-Bleue7",
	"contraseña de la base de datos de pruebas = Lluvia_22x",
	"Senha do admin: Chuva!22x",
	"パスワード = Ame!2291x",
	"初期パスワードは「Ame!2291x」",
	"数据库口令 Yu!2291x",
	"root 密码为 Yu!2291x",
	"관리자 비밀번호: Bi!2291x",
	"Hasło do panelu: Deszcz!22x",
	"Wachtwoord van de router is Regen!22x",
	"Lösenord: Regn!22xy",
	"pa\u200bssword: Fjord\u200b7lamp",
	"passwo&#114;d: Fjord7lamp",
	"base64 of the kube secret: password: TW9vciFoZW45",
	"Authorization: Basic YWRhOk1vb3IhaGVuOQ==",
	"postgres://app:Fjord7lamp\\@db1/app and so on, postgres://app:Fjord7lamp@db1.x.example/app",
	"Log in with ada@x.example and Fjord7!lamp.",
	"unlock the vault with `Fjord7!lamp`, it is the passphrase",
	"`Fjord7!lamp` is the admin password",
	"Fjord7!lamp is the password for staging",
	"creds for the demo shop: demo@fenwick.example / Lamp-Demo-2026!",
	"FTP-Zugang: Host ftp.x.example, Benutzer web44, PW Storch_Nest44",
	"the admin panel pw changed: now Heron&Reed12",
	"(pw: Heron&Reed12)",
	"Pass for the zip: Heron&Reed12",
	"zip password `heron-reed-12`",
	"Bearer q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eR in the Authorization header",
	"apikey=q8Lr7mKp3TzWbYc5HdFg",
	"`X-Auth-Token: q8Lr7mKp3TzWbYc5HdFg`",
	"IBAN password for ebanking: Heron&Reed12",
	"PIN Tresor: 7719",
	"ALTER USER app WITH PASSWORD 'Heron12Reed';",
	"CREATE USER app IDENTIFIED BY 'Heron12Reed';",
	"identified by 'Heron12Reed'",
	"MYSQL_ROOT_PASSWORD: Heron12Reed",
	"ansible_ssh_pass=Heron12Reed",
	"--from-literal=password=Heron12Reed",
	"the old password, Heron&Reed12, still works on the replica",
	"el usuario es lucia y la clave Heron&Reed12",
	"Benutzername: web44\nKennwort: Storchennest",
	"ユーザー: web44 / PW: Heron&Reed12",
	"用户名 web44，密码 Heron&Reed12",
}

func TestAll_MoreSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range moreSecrets {
		if len(secrets.All(text)) == 0 {
			t.Errorf("All(%q) = none", text)
		}
		if masked := secrets.Mask(text); len(secrets.All(masked)) > 0 {
			t.Errorf("All(%q) = %+v, want none", masked, secrets.All(masked))
		}
	}
}

// moreTraps look like credentials.
var moreTraps = []string{
	"password auth is off; keys only",
	"Use a password of at least 12 characters, e.g. four random words.",
	"Passwörter mindestens 12 Zeichen, z. B. vier Wörter",
	"The password field has id `login-password-2`.",
	"The CI secret is called STAGING_DB_PASSWORD_V2.",
	"Token: see vault path kv/ci/github-bot-2",
	"token lifetime: 3600s, refresh 30d",
	"The access token expires after 15m; the refresh token after 30d.",
	"Key: KITE-4412 is the epic.",
	"key: value pairs are sorted",
	"License: MIT, key contact: Ada",
	"API key rotation is every 90 days (next 2026-12-01).",
	"api_key=$(vault kv get -field=key kv/maps)",
	"`Authorization: Bearer ${TOKEN}`",
	"`Authorization: Basic <base64 of user:pass>`",
	"The password for staging is in 1Password: \"Staging CMS 2026\".",
	"Passwort: im Bitwarden unter „CMS-Live 2026“",
	"Contraseña: en el llavero, entrada \"cms2\"",
	"密码在1Password里，条目名 cms-2026",
	"Example from the docs: `curl -u user:passw0rd https://api.example.com`",
	"In tests the user is admin/admin.",
	"seed data: user1 / user2 / user3",
	"Login: https://cms.corp.example/admin2",
	"Design / UX2: Farah",
	"iOS 17.2 / Android 14",
	"Price: 800 €/h / 20% off",
	"cookie: consent_v2 is set for 180 days",
	"Session cookie is HttpOnly, SameSite=Lax, Max-Age=86400.",
	"Session id in the log: 7f3e9a1c-5b8d-4f60-87e9-c1a3b5d7f902",
	"Build 7f3e9a1c5b8d2f6047e9c1a3b5d7f90212345678 is live.",
	"ETag: \"7f3e9a1c5b8d2f6047e9c1a3b5d7f902\"",
	"The md5 of the file is 7f3e9a1c5b8d2f6047e9c1a3b5d7f902.",
	"docker pull app@sha256:7f3e9a1c5b8d2f6047e9c1a3b5d7f9027f3e9a1c5b8d2f6047e9c1a3b5d7f902",
	"Trace id 7f3e9a1c5b8d2f6047e9c1a3b5d7f902 shows the retry.",
	"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7f3e9a1c5b8d2f6047e9c1a3b5d7f9 ada@laptop",
	"The Stripe test card is 4242 4242 4242 4242, any CVC.",
	"Firebase web config apiKey is public by design.",
	"reCAPTCHA site key 6LdRcpEaAAAAAM1vN2x8ql3rJ0kz4Y7w9sT5uVb is public.",
	"Sentry DSN https://7f3e9a1c5b8d2f6047e9c1a3b5d7f902@o44.ingest.sentry.io/12",
	"postgres://postgres:postgres@localhost:5432/test",
	"DATABASE_URL=postgres://USER:PASSWORD@HOST:5432/DB",
	"mysql -uroot -p$MYSQL_ROOT_PASSWORD",
	"--password-file /run/secrets/db_password2",
	"PASSWORD_MIN_LENGTH=12",
	"password_reset_timeout: 3600",
	"`password: z.string().min(8)`",
	"pw reset mails come from no-reply2@corp.example",
	"The PIN pad was replaced in 2024.",
	"Pin 1.2.3, not latest.",
	"Recovery code flow: users get 10 codes.",
	"Mnemonic device for the deploy order: all cats eat fish and bring dogs great joy in summer time daily",
	"Gate code review on Tuesdays: 14:00",
	"Entry code path: src/main2.ts",
	"the passphrase prompt appears twice on macOS 14",
	"In the fixture the password is `correct horse battery staple`.",
	"gitleaks flagged `token = \"abc123def456\"` in a test: false positive.",
	"The demo account demo@corp.example / demo is reset every night.",
	"secret santa: Ada draws Farah2",
	"Der Schlüssel: Projekt-2026-Q3 in Jira",
	"clave: proyecto-2026 en Jira",
	"Access key design principle: least privilege",
	"wireguard public key: q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRokT9vQ2x9K0=",
	"npm integrity sha512-q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRokT9vQ2x9K0q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRokT9vQ2x9K0==",
	"AWS account 123456789012, role arn:aws:iam::123456789012:role/deploy-2",
	"Key ID: ABCD1234EF567890 (GPG, public)",
	"API token name: ci-deploy-2026",
	"secret name: app/prod/stripe-key-v2",
	"Password managers: Owen uses KeePass2Android.",
	"Passwords expire after 90d; minimum 14 chars.",
	"password: 14+ chars, 1 digit",
	"The password policy is NIST-800-63B.",
	"The login is SSO-only since 2026-03.",
	"The token is a JWT (RS256), 15m.",
	"Token type: Bearer",
	"AWS keys look like AKIA followed by 16 characters.",
	"The key of the cache is `cart:v3:<user>`.",
	"JIRA key: SHOP-2231",
	"Figma file key: x9Kd82mQpLr7VbNw3TzYh6",
	"Google sheet id 1x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0Rx9Kd82m",
	"Build secret is mounted at /run/secrets/npm_token2.",
	"secretRef: name: db-creds-v3",
	"password: ${{ secrets.DB_PASSWORD_V2 }}",
	"curl -u \"$USER:$TOKEN\" https://x.example",
	"http://user:pass@proxy.example:8080 is the format of the proxy setting.",
	"postgres://user:pass@host/db in the README is a placeholder.",
	"ftp://anonymous:anonymous@ftp.x.example",
	"Use password `test1234` for local fixtures only (example user).",
	"hunter2 is our joke password in slides.",
	"The docs of AWS use AKIAIOSFODNN7EXAMPLE.",
	"sha1 of the password list: 5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8",
	"$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy is a bcrypt hash of the column password.",
	"public key fingerprint SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDUpzpd",
	"commit 7f3e9a1 (token refresh)",
	"Stripe price id price_1Hx9Kd82mQpLr7VbNw3TzYh6, customer cus_Nx9Kd82mQpLr7",
	"GA4 id G-X9KD82MQPL, GTM-X9KD82M",
	"Vercel project id prj_x9Kd82mQpLr7VbNw3TzYh6Fc",
	"The PIN of the SIM is in the safe.",
	"PIN entry has 3 attempts.",
	"Passwort-Reset-Mails gehen an kunde12@x.example",
	"Kennwort: siehe Tresor, Fach 12",
	"Das Passwort steht im Tresor (Fach A12).",
	"La contraseña tiene 12 caracteres mínimo.",
	"clave primaria: id_pedido2",
	"la clave es probar con datos2026 reales",
	"mot de passe oublié: page /login2",
	"パスワードは12文字以上。",
	"密码至少12位，含数字。",
	"비밀번호는 12자 이상.",
	"пароль минимум 12 символов",
	"cookie name: sid_v2",
	"x-request-id: 7f3e9a1c5b8d2f6047e9c1a3b5d7f902",
	"idempotency-key: 7f3e9a1c5b8d2f6047e9c1a3b5d7f902",
	"etag and cache key are sha256 hashes",
	"credentials: include",
	"credentials: 'same-origin'",
	"auth: { user, pass }",
	"user / role / team2",
	"Owen / Lucía / Farah2026",
	"tokens: 128k in, 8k out",
	"design token spacing-4 = 16px",
	"recovery phrase is never stored",
	"password protected PDF: see Drive/Legal2026",
	"ALTER USER app WITH PASSWORD :'pw';",
	"Passwords are stored as scrypt:32768:8:1 hashes.",
	"PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']",
	"token_endpoint: https://id.x.example/oauth2/token",
	"The refresh token rotates; reuse detection is on (RFC 6819).",
	"key: \"checkout.step2.title\"",
	"The primary key is (tenant_id, order_id2).",
	"apiVersion: v1, kind: Secret, name: tls-cert-2026",
	"SSH key: ~/.ssh/id_ed25519_deploy2",
	"ssh key comment is deploy@ci-2026",
	"GPG key 0x4AEE18F83AFDEB23 signs the tags",
	"Signing key fingerprint: 7F3E 9A1C 5B8D 2F60 47E9  C1A3 B5D7 F902 1234 5678",
	"Cookie banner: consent v2.3 (IAB TCF2.2)",
	"The pass rate is 98.5%.",
	"pass --force2 to override",
	"Passkeys replace passwords in Q1/2027.",
	"Access: Farah, Owen (since 2026-02)",
	"login page: /account/login-v2",
	"Login: Farah2 only on Mondays",
	"account: 4411-22",
	"Kundenkonto: KD-10221",
	"Zugang: nur über VPN2",
	"Die PIN wird per Brief verschickt (5-stellig).",
	"secret sauce: cache warmup at 05:30",
	"2FA: TOTP, 30s, SHA1",
	"license key is bought per seat, renewal 2027-01-31",
	"Webhook secret is set with `wrangler secret put HOOK_SECRET_2`",
	"user:group is 1000:1000",
	"ratio 16:9/Full1080p!",
	"The auth service runs on auth-7f3e9a1c5b-x2k9q.",
	"key=value pairs like a1=b2",
	"password=*** in logs", "pw=[redacted]",
}

func TestAll_Nothing(t *testing.T) {
	t.Parallel()
	for _, text := range slices.Concat(withoutSecrets, moreTraps) {
		for _, f := range secrets.All(text) {
			t.Errorf("All(%q) has %q (%s)", text, text[f.Start:f.End], f.Rule)
		}
	}
}

func TestMask_ReplacesValues(t *testing.T) {
	t.Parallel()
	const text = "The password is Kestrel!22, and\nthe other password: Fjord#881 too."
	if got, want := secrets.Mask(text), "The password is ••••••••, and\nthe other password: •••••••• too."; got != want {
		t.Errorf("Mask() = %q, want %q", got, want)
	}
	if got, want := secrets.Redact(text), "The password is [removed], and\nthe other password: [removed] too."; got != want {
		t.Errorf("Redact() = %q, want %q", got, want)
	}
	for _, marked := range withSecrets {
		text, _ := split(marked)
		for _, masked := range []string{secrets.Mask(text), secrets.Redact(text)} {
			if again := secrets.All(masked); len(again) > 0 {
				t.Errorf("%q still has %+v", masked, again)
			}
		}
	}
}

func TestMatch_Fields(t *testing.T) {
	t.Parallel()
	m, ok := secrets.Match(findings.Text{Name: "staging", Description: "password is Kestrel!22", Body: "Call postgres://app:s7Kq9wLm@db.corp.net/app."})
	if !ok || m.Kind != findings.Secret || m.Reason != "Password in plain text" || len(m.Spans) != 2 || m.Spans[0] != (findings.Span{Field: findings.Description, Start: 12, End: 22}) || m.Spans[1].Field != findings.Body {
		t.Errorf("Match() = %+v, %t", m, ok)
	}
	if m, ok := secrets.Match(findings.Text{Name: "a", Body: "nothing"}); ok {
		t.Errorf("Match() = %+v", m)
	}
}

func FuzzAll(f *testing.F) {
	for _, text := range withSecrets {
		plain, _ := split(text)
		f.Add(plain)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range secrets.All(text) {
			if found.Start < end || found.End <= found.Start || found.End > len(text) {
				t.Fatalf("All(%q) has %+v behind %d", text, found, end)
			}
			end = found.End
		}
		if utf8.ValidString(text) && !utf8.ValidString(secrets.Mask(text)) {
			t.Fatalf("Mask(%q) is not valid UTF-8", text)
		}
	})
}

const plainMemory = "The release train leaves on Tuesdays from `release/next`; Ada approves it. **Why:** the API team needs two days for the key customers.\n\n**How to apply:** run `make release VERSION=1.24.3`, see https://wiki.corp.net/pages/release-train and ticket OPS-4312. The token for the registry is in Vault, and the password is rotated.\n"

func BenchmarkAll(b *testing.B) {
	text := strings.Repeat(plainMemory, 4)[:1024]
	secrets.All("password: Kestrel!22") // parses the rules
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if found := secrets.All(text); len(found) > 0 {
			b.Fatal(found)
		}
	}
}

func BenchmarkAll_Large(b *testing.B) {
	text := strings.Repeat(plainMemory, 1<<20/len(plainMemory))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		secrets.All(text)
	}
}
