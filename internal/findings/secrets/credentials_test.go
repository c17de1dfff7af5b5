package secrets_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/findings/secrets"
)

// The texts are put together here, so that no scanner takes this file for one that has leaked
// something.
func TestFind_Line(t *testing.T) {
	t.Parallel()
	const random = "xK9mP2vQ7wR4tY8uI3oA6sD1fG5hJ0zL4cV7bN2q"
	for rule, text := range map[string]string{
		"github-pat":              "Use ghp_" + "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R for the API.",
		"github-fine-grained-pat": "github" + "_pat_11ABCDEFG0" + "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0Rx9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R",
		"aws-access-token":        "The key is AKIA" + "Z7QH3WTYUJ2LNB4V today.",
		"private-key":             "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat(random+random[:24]+"\n", 4) + "-----END RSA PRIVATE KEY-----",
		"slack-bot-token":         "xoxb" + "-2384567190123-2384567190456-xK9mP2vQ7wR4tY8uI3oA6sD1",
		"stripe-access-token":     "sk_live_" + "51HqLyjWDarjtT1zdp7dcXyZ0",
		"gcp-api-key":             "AIza" + "SyD9x8Kd82mQpLr7VbNw3TzYh6FcJs1GaUe",
		"gitlab-pat":              "glpat-" + "x9Kd82mQpLr7VbNw3TzY",
		"npm-access-token":        "npm_" + "x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R",
		"anthropic-api-key":       "sk-ant-api03-" + strings.Repeat("x9Kd82mQpL", 9) + "r7V" + "AA",
		"password":                "deploy_password = \"" + random[:28] + "\"",
		"generic-api-key":         "deploy_token = \"" + random[:28] + "\"",
		"jwt":                     "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkFkYSJ9.q8Lr7mKp3TzWbYc5HdFgJ8nPq1sXu4eRokT9vQ2x9K0",
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			found, ok := secrets.Find("# Deploying\n\n**Why:** it is needed.\n" + text + "\n\nMore.\n")
			if !ok || found.Rule != rule || found.Line != 4 {
				t.Errorf("got %+v, %t; want it on line 4", found, ok)
			}
		})
	}
}

func TestFind_NoCredential(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "Ada prefers tabs.",
		"The password is in 1Password, vault Engineering, item “deploy key”.",
		"Set GITHUB_TOKEN in the environment: `export GITHUB_TOKEN=$(gh auth token)`.",
		"token: ${{ secrets.DEPLOY_TOKEN }}", "password = os.environ[\"DB_PASSWORD\"]", "api_key: <your key here>", "AWS_ACCESS_KEY_ID=AKIAXXXXXXXXXXXXXXXX",
		"Use `sk-ant-…` keys of the test workspace only.", "The API key has to be rotated every 90 days.",
		"Commit 9fceb02d0ae598e95dc970b74767f19372d6181f broke it; 41ac635 mended it.",
		"The id is 018f6c1e-7b2a-7c3d-9e4f-5a6b7c8d9e0f.", "keyboard = dvorak-programmer-2024",
		"- [Tokens](reference_tokens.md) — where API tokens are kept", "**Key:** value, **secret:** none",
	} {
		if found, ok := secrets.Find(text); ok {
			t.Errorf("%q was taken for %+v", text, found)
		}
	}
}

// The memories in this repository and those of the recall tests resemble real ones.
func TestFind_RealMemories(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, dir := range []string{"../../../examples", "../../recall"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			looked++
			if found, ok := secrets.Find(string(raw)); ok {
				t.Errorf("%s was taken for %+v", path, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 100 {
		t.Errorf("only %d memories were looked at", looked)
	}
}
