package secrets

import (
	"encoding/base64"
	"strings"
)

// A charset is the characters of a token after its prefix.
type charset uint8

const (
	alnum  charset = iota
	word           // alnum and _
	dashed         // word and -
	dotted         // dashed and .
	base           // base64: alnum, + / =
	lowerHex
	full // dotted, + / = ~ % :
)

func (set charset) has(c byte) bool {
	switch {
	case set == lowerHex:
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
	case isAlnum(c):
		return true
	case set == word:
		return c == '_'
	case set == dashed:
		return c == '_' || c == '-'
	case set == dotted:
		return c == '_' || c == '-' || c == '.'
	case set == base:
		return c == '+' || c == '/' || c == '='
	case set == full:
		return strings.IndexByte("_-.+/=~%:", c) >= 0
	}
	return false
}

// format is the form of a vendor's tokens. Gitleaks has most of them too, but only finds tokens of
// an exact length before certain characters.
type format struct {
	prefix, rule string
	set          charset
	min          int // bytes after the prefix
}

var formats = byFirst([]format{
	{"ghp_", "github-pat", alnum, 30}, {"gho_", "github-oauth", alnum, 30}, {"ghu_", "github-app-token", alnum, 30},
	{"ghs_", "github-app-token", alnum, 30}, {"ghr_", "github-refresh-token", alnum, 30},
	{"github_pat_", "github-fine-grained-pat", word, 30},
	{"glpat-", "gitlab-pat", dashed, 18}, {"gldt-", "gitlab-deploy-token", dashed, 18}, {"glrt-", "gitlab-runner-token", dashed, 18},
	{"glptt-", "gitlab-ptt", alnum, 30}, {"glcbt-", "gitlab-cicd-job-token", dashed, 18}, {"glft-", "gitlab-feed-token", dashed, 18}, {"GR1348941", "gitlab-rrt", dashed, 18},
	{"sk-ant-", "anthropic-api-key", dashed, 24}, {"sk-proj-", "openai-api-key", dashed, 24}, {"sk-svcacct-", "openai-api-key", dashed, 24},
	{"sk-or-v1-", "openrouter-api-key", alnum, 32}, {"sk-", "openai-api-key", alnum, 24}, {"sess-", "openai-api-key", alnum, 30},
	{"sk_live_", "stripe-access-token", alnum, 16}, {"rk_live_", "stripe-access-token", alnum, 16}, {"sk_test_", "stripe-access-token", alnum, 16},
	{"rk_test_", "stripe-access-token", alnum, 16}, {"whsec_", "stripe-webhook-secret", base, 20},
	{"AKIA", "aws-access-token", alnum, 16}, {"ASIA", "aws-access-token", alnum, 16},
	{"xoxb-", "slack-bot-token", dashed, 20}, {"xoxp-", "slack-user-token", dashed, 20}, {"xoxa-", "slack-legacy-token", dashed, 20},
	{"xoxe-", "slack-config-refresh-token", dashed, 20}, {"xoxe.xoxp-", "slack-config-access-token", dashed, 20}, {"xoxs-", "slack-legacy-token", dashed, 20},
	{"xoxr-", "slack-legacy-token", dashed, 20}, {"xoxc-", "slack-session-token", dashed, 20}, {"xoxd-", "slack-session-token", full, 20}, {"xapp-", "slack-app-token", dashed, 20},
	{"AIza", "gcp-api-key", dashed, 30}, {"ya29.", "gcp-oauth-token", dashed, 24}, {"GOCSPX-", "gcp-oauth-client-secret", dashed, 20},
	{"npm_", "npm-access-token", alnum, 30}, {"pypi-AgE", "pypi-upload-token", dashed, 40}, {"dckr_pat_", "docker-token", dashed, 20}, {"dckr_oat_", "docker-token", dashed, 20},
	{"dop_v1_", "digitalocean-pat", alnum, 40}, {"doo_v1_", "digitalocean-access-token", alnum, 40}, {"dor_v1_", "digitalocean-refresh-token", alnum, 40},
	{"hf_", "huggingface-access-token", alnum, 30}, {"SG.", "sendgrid-api-token", dotted, 40}, {"key-", "mailgun-private-api-token", lowerHex, 32},
	{"shpat_", "shopify-access-token", alnum, 30}, {"shpss_", "shopify-shared-secret", alnum, 30}, {"shpca_", "shopify-custom-access-token", alnum, 30}, {"shppa_", "shopify-private-app-access-token", alnum, 30},
	{"sq0atp-", "square-access-token", dashed, 20}, {"sq0csp-", "square-secret", dashed, 40}, {"EAAA", "square-access-token", dashed, 58},
	{"lin_api_", "linear-api-key", alnum, 30}, {"figd_", "figma-token", dashed, 30}, {"ntn_", "notion-api-token", alnum, 40}, {"secret_", "notion-api-token", alnum, 40},
	{"PMAK-", "postman-api-token", dashed, 40}, {"pul-", "pulumi-api-token", lowerHex, 40}, {"nfp_", "netlify-token", alnum, 30}, {"sbp_", "supabase-token", alnum, 30}, {"sb_secret_", "supabase-token", dashed, 20},
	{"dapi", "databricks-api-token", lowerHex, 32}, {"glsa_", "grafana-service-account-token", word, 32}, {"glc_", "grafana-cloud-api-token", base, 32},
	{"NRAK-", "new-relic-user-api-key", alnum, 24}, {"CFPAT-", "contentful-token", dashed, 30}, {"hvs.", "vault-service-token", dashed, 24}, {"hvb.", "vault-batch-token", dashed, 24},
	{"dp.pt.", "doppler-api-token", alnum, 30}, {"dp.st.", "doppler-api-token", dotted, 30}, {"ATATT3", "atlassian-api-token", full, 40}, {"ATCTT3", "atlassian-api-token", full, 40}, {"ATBB", "bitbucket-token", alnum, 24},
	{"AGE-SECRET-KEY-1", "age-secret-key", alnum, 40}, {"r8_", "replicate-token", alnum, 30}, {"gsk_", "groq-api-key", alnum, 30}, {"xai-", "xai-api-key", alnum, 30},
	{"pplx-", "perplexity-api-key", alnum, 30}, {"tvly-", "tavily-api-key", dashed, 20}, {"sntrys_", "sentry-org-token", full, 40}, {"sntryu_", "sentry-user-token", alnum, 40},
	{"phx_", "posthog-api-key", alnum, 30}, {"rnd_", "render-api-key", alnum, 24}, {"fm2_", "flyio-access-token", base, 40}, {"fo1_", "flyio-access-token", dashed, 40}, {"tskey-auth-", "tailscale-key", dashed, 16}, {"tskey-api-", "tailscale-key", dashed, 16}, {"tskey-client-", "tailscale-key", dashed, 16},
	{"pscale_tkn_", "planetscale-api-token", dashed, 24}, {"pscale_pw_", "planetscale-password", dashed, 24}, {"bkua_", "buildkite-token", alnum, 30}, {"CCIPAT_", "circleci-token", word, 24}, {"sgp_", "sourcegraph-access-token", word, 32},
	{"rubygems_", "rubygems-api-token", alnum, 40}, {"ops_eyJ", "1password-service-account-token", base, 60}, {"PRIVATE+KEY+", "private-key", base, 40}, {"LTAI", "alibaba-access-key-id", alnum, 16}, {"AKID", "tencent-secret-id", alnum, 30}, {"BBDC-", "bitbucket-token", base, 30},
	{"oy2", "nuget-api-key", alnum, 43}, {"CLOJARS_", "clojars-api-token", alnum, 50}, {"pat-na1-", "hubspot-token", dashed, 30}, {"pat-eu1-", "hubspot-token", dashed, 30}, {"rdme_", "readme-api-token", alnum, 50}, {"vercel_", "vercel-token", alnum, 24}, {"vcp_", "vercel-token", alnum, 40}, {"re_", "resend-api-key", word, 28}, {"xkeysib-", "sendinblue-api-token", dashed, 60}, {"napi_", "neon-api-key", alnum, 40}, {"sk.eyJ", "mapbox-api-token", dotted, 40}, {"bot_token_", "bot-token", alnum, 30}, {"waka_", "wakatime-api-key", dashed, 32},
})

// byFirst indexes formats by the first byte of their prefixes.
func byFirst(all []format) *[256][]format {
	var index [256][]format
	for _, f := range all {
		index[f.prefix[0]] = append(index[f.prefix[0]], f)
	}
	return &index
}

// findFormats finds the tokens of vendors by their prefixes, and JSON Web Tokens.
func (s *scan) findFormats() {
	s.findTelegram()
	text := s.Plain
	for i := 0; i < len(text); i++ {
		candidates := formats[text[i]]
		if text[i] != 'e' && candidates == nil || i > 0 && isAlnum(text[i-1]) {
			continue
		}
		rest := text[i:]
		if strings.HasPrefix(rest, "eyJ") {
			if end := s.jwt(i); end > 0 {
				i = end - 1
				continue
			}
		}
		for _, f := range candidates {
			if !strings.HasPrefix(rest, f.prefix) {
				continue
			}
			from := i + len(f.prefix)
			value, end := s.run(from, f.set, f.min)
			if len(value) < f.min || !s.isToken(value, i) {
				continue
			}
			s.add(i, end, f.rule)
			i = end - 1
			break
		}
	}
}

// findTelegram finds the tokens of Telegram's bots: digits, ":AA" and 33 characters.
func (s *scan) findTelegram() {
	for at := 0; ; {
		next := strings.Index(s.Plain[at:], ":AA")
		if next < 0 {
			return
		}
		colon := at + next
		at = colon + 3
		start := colon
		for start > 0 && class(s.Plain[start-1]) == '0' {
			start--
		}
		if value, end := s.run(colon+1, dashed, 35); colon-start >= 7 && colon-start <= 12 && len(value) >= 32 && s.isToken(value, start) {
			s.add(start, end, "telegram-bot-api-token")
		}
	}
}

// isToken reports whether a value after a vendor's prefix is a real one.
func (s *reader) isToken(value string, at int) bool {
	return (isRandom(value) || len(value) >= 16 && traitsOf(value).digit && mixed(value) >= 3) && !isPlaceholder(value) && !s.near(strongExample, at)
}

// jwt finds a JSON Web Token at an offset, and returns its end, or 0 without one.
func (s *scan) jwt(at int) int {
	value, end := s.run(at, dotted, 200)
	parts := strings.Split(value, ".")
	if len(parts) < 3 || len(parts[0]) < 12 || len(parts[1]) < 10 || len(parts[2]) < 10 {
		return 0
	}
	if payload, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && strings.Contains(string(payload), "supabase-demo") {
		return 0
	}
	if isPlaceholder(value) || s.near(strongExample, at) {
		return 0
	}
	s.add(at, end, "jwt")
	return end
}

// run reads the characters of a set from an offset. It continues a token on the next line if one is
// broken there: after a backslash, or if it is too short and the next line goes on with more of the
// same. value has no line ends; end is the offset behind it. Punctuation at the end is left out.
func (s *reader) run(from int, set charset, enough int) (value string, end int) {
	text := s.Plain[:min(len(s.Plain), from+maxValue)]
	end = from
	for end < len(text) && set.has(text[end]) {
		end++
	}
	value = text[from:end]
	for len(value) >= 3 {
		next, broken := lineBreak(text, end)
		if next == 0 || len(value) >= enough && !broken {
			break
		}
		to := next
		for to < len(text) && set.has(text[to]) {
			to++
		}
		part := text[next:to]
		if t := traitsOf(part); !broken && (len(part) < 4 || !t.digit || !t.letters()) || part == "" {
			break
		}
		value, end = value+part, to
	}
	for value != "" && strings.IndexByte(".-:_%", value[len(value)-1]) >= 0 {
		value = value[:len(value)-1]
		end--
	}
	return value, end
}

// lineBreak returns the offset of the text on the next line if there is a line end at an offset, or
// 0 without one, or if the next line is blank. broken is true after a backslash.
func lineBreak(text string, at int) (next int, broken bool) {
	if at < len(text) && text[at] == '\\' {
		broken = true
		at++
	}
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at >= len(text) || text[at] != '\n' {
		return 0, false
	}
	at++
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '>') {
		at++
	}
	if at >= len(text) || text[at] == '\n' {
		return 0, false
	}
	return at, broken
}
