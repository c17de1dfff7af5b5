package secrets

import "strings"

// Rules of this package.
const (
	rulePassword   = "password"
	ruleURL        = "url-password"
	ruleHeader     = "authorization-header"
	ruleKeyBlock   = "private-key"
	ruleSeed       = "seed-phrase"
	rulePIN        = "pin"
	ruleCode       = "recovery-code"
	ruleCookie     = "session-cookie"
	ruleWebhook    = "webhook-url"
	ruleConnection = "connection-string"
)

var reasons = map[string]string{
	generic:        "API key or token",
	rulePassword:   "Password in plain text",
	ruleURL:        "URL with a password",
	ruleHeader:     "Authorization header with a credential",
	ruleKeyBlock:   "Private key",
	ruleSeed:       "Seed phrase",
	rulePIN:        "PIN or access code",
	ruleCode:       "Recovery code",
	ruleCookie:     "Session cookie",
	ruleWebhook:    "Webhook URL",
	ruleConnection: "Connection string with a password",
	"jwt":          "JSON Web Token",
	"jwt-base64":   "JSON Web Token",
}

// vendors are the names of vendors by the first part of a rule's id, as they are spelled.
var vendors = map[string]string{
	"github": "GitHub", "gitlab": "GitLab", "aws": "AWS", "gcp": "Google Cloud", "openai": "OpenAI", "npm": "npm", "pypi": "PyPI",
	"digitalocean": "DigitalOcean", "huggingface": "Hugging Face", "sendgrid": "SendGrid", "hashicorp": "HashiCorp", "openrouter": "OpenRouter",
	"circleci": "CircleCI", "1password": "1Password", "flyio": "Fly.io", "xai": "xAI", "newrelic": "New Relic", "posthog": "PostHog",
	"microsoft": "Microsoft", "rubygems": "RubyGems", "nuget": "NuGet", "planetscale": "PlanetScale", "launchdarkly": "LaunchDarkly", "jfrog": "JFrog",
}

// Reason returns at most eight words for people about a rule.
func Reason(rule string) string {
	if reason, ok := reasons[rule]; ok {
		return reason
	}
	parts := strings.Split(rule, "-")
	vendor := vendors[parts[0]]
	if vendor == "" && parts[0] != "" {
		vendor = strings.ToUpper(parts[0][:1]) + parts[0][1:]
	}
	kind := "token"
	switch {
	case strings.Contains(rule, "webhook"):
		kind = "webhook"
	case strings.Contains(rule, "key"):
		kind = "key"
	case strings.Contains(rule, "secret"):
		kind = "secret"
	case strings.Contains(rule, "password"):
		kind = "password"
	}
	return vendor + " " + kind
}
