package main

import (
	"bytes"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/model"
)

// environment returns a lookup of "NAME=value" entries. HOME is set unless an entry changes it.
func environment(entries ...string) func(string) (string, bool) {
	values := map[string]string{"HOME": "/home/ada"}
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = value
	}
	return func(name string) (string, bool) {
		value, found := values[name]
		return value, found
	}
}

func parse(t *testing.T, args []string, entries ...string) config {
	t.Helper()
	c, err := parseConfig(args, environment(entries...), &bytes.Buffer{})
	if err != nil {
		t.Fatalf("parseConfig(%q, %q): %v", args, entries, err)
	}
	return c
}

func TestParseConfig_Defaults(t *testing.T) {
	t.Parallel()
	want := config{
		addr:          "127.0.0.1:8080",
		agentsDir:     "/tmp/agents",
		claudeDir:     "/home/ada/.claude",
		qwenDir:       "/home/ada/.qwen",
		geminiDir:     "/home/ada/.gemini",
		codexDir:      "/home/ada/.codex",
		openClawDir:   "/home/ada/.openclaw",
		lettaDir:      "/home/ada/.letta",
		teamDir:       "/home/ada/.claude/shared-memory",
		isOwnTeamDir:  true,
		dataDir:       "/home/ada/.local/share/memoir",
		debounce:      200 * time.Millisecond,
		rescan:        time.Minute,
		watch:         "auto",
		claudeMDLimit: 40000,
		logFormat:     "text",
		model:         modelConfig{name: model.Default, background: model.Thorough, command: "claude"},
		consolidate:   consolidation.Plan,
		extract:       extractConfig{extraction.Propose, 5 * time.Minute, 500_000},
		review:        reviewConfig{nil, 200_000},
		embedding:     embeddingConfig{dailyTokens: 20_000_000},
		askedAs:       askedAsConfig{askedAsModel, 200_000},
		backup:        backupConfig{"", 24 * time.Hour, 7},
		oidc:          oidcConfig{claim: "email"},
	}
	if got := parse(t, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseConfig_FlagsAndVariables(t *testing.T) {
	t.Parallel()
	want := config{
		addr:          "[::1]:9000",
		agentsDir:     "/srv/agents",
		claudeDir:     "/srv/claude",
		qwenDir:       "/srv/qwen",
		geminiDir:     "/srv/gemini",
		codexDir:      "/srv/codex",
		openClawDir:   "/srv/openclaw",
		lettaDir:      "/srv/letta",
		memoryDirs:    []agents.NamedDir{{Slug: "reviewer", Path: "/srv/a"}, {Slug: "writer", Path: "/srv/b=c"}},
		teamDir:       "/srv/team",
		dataDir:       "/srv/data",
		databaseURL:   "postgres://db.example.org/memoir?sslmode=require",
		token:         "open-sesame-please",
		readToken:     "look-only-my-friend",
		debounce:      time.Second,
		rescan:        5 * time.Minute,
		watch:         "poll",
		claudeMDLimit: 1000,
		ageNotes:      true,
		tokenPrice:    3,
		allowedHosts:  []string{"memoir.example.org", "fd00::1"},
		publicURL:     gate.PublicURL{Scheme: "https", Host: "memoir.example.org"},
		tlsCert:       "/srv/cert.pem",
		tlsKey:        "/srv/key.pem",
		logFormat:     "json",
		model:         modelConfig{"thinker", "ponderer", "/opt/claude", model.Endpoint{Key: "a key", AuthToken: "a token", URL: "http://model.example.org"}},
		consolidate:   consolidation.Auto,
		extract:       extractConfig{extraction.Auto, 30 * time.Second, 1000},
		review:        reviewConfig{nil, 2000},
		embedding:     embeddingConfig{"http://127.0.0.1:11434", "nomic-embed-text", "its-key", 3000},
		askedAs:       askedAsConfig{askedAsOff, 3000},
		backup:        backupConfig{"/srv/backups", 12 * time.Hour, 30},
		oidc:          oidcConfig{issuer: "https://id.example.org/realms/team", clientID: "memoir", secretFile: "/srv/secret", claim: "sub"},
	}
	byFlag := parse(t, []string{
		"--addr", "[::1]:9000", "--agents-dir=/srv/agents", "--claude-dir=/srv/claude", "--qwen-dir=/srv/qwen", "--gemini-dir=/srv/gemini", "--codex-dir=/srv/codex", "--openclaw-dir=/srv/openclaw", "--letta-dir=/srv/letta",
		"--memory-dir", "reviewer=/srv/a", "--memory-dir", "writer=/srv/b=c", "--team-dir=/srv/team", "--data-dir", "/srv/data",
		"--database-url", "postgres://db.example.org/memoir?sslmode=require", "--token", "open-sesame-please", "--read-token", "look-only-my-friend",
		"--debounce", "1s", "--rescan", "5m", "--watch", "poll", "--claude-md-limit", "1000", "--age-notes", "--token-price=3", "--model=thinker", "--consolidate=auto", "--background-model=ponderer", "--claude-command=/opt/claude", "--extract=auto", "--extract-quiet=30s", "--extract-daily-tokens=1000", "--review-daily-tokens=2000", "--asked-as=off", "--asked-as-daily-tokens=3000",
		"--backup-dir=/srv/backups", "--backup-every=12h", "--backup-keep=30",
		"--embedding-url=http://127.0.0.1:11434", "--embedding-model=nomic-embed-text", "--embedding-daily-tokens=3000",
		"--allowed-host", "Memoir.example.org", "--allowed-host", "[FD00::1]", "--log-format", "json",
		"--public-url=https://memoir.example.org/", "--tls-cert=/srv/cert.pem", "--tls-key=/srv/key.pem",
		"--oidc-issuer=https://id.example.org/realms/team", "--oidc-client-id=memoir", "--oidc-client-secret-file=/srv/secret", "--oidc-claim=sub",
	}, "ANTHROPIC_API_KEY=a key", "ANTHROPIC_AUTH_TOKEN=a token", "ANTHROPIC_BASE_URL=http://model.example.org", "MEMOIR_EMBEDDING_KEY=its-key")
	if !reflect.DeepEqual(byFlag, want) {
		t.Errorf("by flag: got  %+v\nwant %+v", byFlag, want)
	}
	byVariable := parse(t, nil,
		"MEMOIR_ADDR=[::1]:9000", "MEMOIR_AGENTS_DIR=/srv/agents", "MEMOIR_CLAUDE_DIR=/srv/claude", "MEMOIR_QWEN_DIR=/srv/qwen", "MEMOIR_GEMINI_DIR=/srv/gemini", "MEMOIR_CODEX_DIR=/srv/codex", "MEMOIR_OPENCLAW_DIR=/srv/openclaw", "MEMOIR_LETTA_DIR=/srv/letta",
		"MEMOIR_MEMORY_DIR=reviewer=/srv/a, writer=/srv/b=c", "MEMOIR_TEAM_DIR=/srv/team", "MEMOIR_DATA_DIR=/srv/data",
		"MEMOIR_DATABASE_URL=postgres://db.example.org/memoir?sslmode=require", "MEMOIR_TOKEN=open-sesame-please", "MEMOIR_READ_TOKEN=look-only-my-friend",
		"MEMOIR_DEBOUNCE=1s", "MEMOIR_RESCAN=5m", "MEMOIR_WATCH=poll", "MEMOIR_CLAUDE_MD_LIMIT=1000",
		"MEMOIR_AGE_NOTES=true", "MEMOIR_TOKEN_PRICE=3", "MEMOIR_CONSOLIDATE=auto", "MEMOIR_MODEL=thinker", "MEMOIR_BACKGROUND_MODEL=ponderer", "MEMOIR_CLAUDE_COMMAND=/opt/claude", "MEMOIR_EXTRACT=auto", "MEMOIR_EXTRACT_QUIET=30s", "MEMOIR_EXTRACT_DAILY_TOKENS=1000", "MEMOIR_REVIEW_DAILY_TOKENS=2000", "MEMOIR_ASKED_AS=off", "MEMOIR_ASKED_AS_DAILY_TOKENS=3000", "ANTHROPIC_API_KEY=a key", "ANTHROPIC_AUTH_TOKEN=a token", "ANTHROPIC_BASE_URL=http://model.example.org",
		"MEMOIR_BACKUP_DIR=/srv/backups", "MEMOIR_BACKUP_EVERY=12h", "MEMOIR_BACKUP_KEEP=30",
		"MEMOIR_EMBEDDING_URL=http://127.0.0.1:11434", "MEMOIR_EMBEDDING_MODEL=nomic-embed-text", "MEMOIR_EMBEDDING_DAILY_TOKENS=3000", "MEMOIR_EMBEDDING_KEY=its-key",
		"MEMOIR_ALLOWED_HOST=Memoir.example.org,[FD00::1],", "MEMOIR_LOG_FORMAT=json",
		"MEMOIR_PUBLIC_URL=https://memoir.example.org", "MEMOIR_TLS_CERT=/srv/cert.pem", "MEMOIR_TLS_KEY=/srv/key.pem",
		"MEMOIR_OIDC_ISSUER=https://id.example.org/realms/team", "MEMOIR_OIDC_CLIENT_ID=memoir", "MEMOIR_OIDC_CLIENT_SECRET_FILE=/srv/secret", "MEMOIR_OIDC_CLAIM=sub",
	)
	if !reflect.DeepEqual(byVariable, want) {
		t.Errorf("by variable: got  %+v\nwant %+v", byVariable, want)
	}
}

func TestParseConfig_Priority(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args, env []string
		got       func(config) any
		want      any
	}{
		"a flag over its variable": {[]string{"--rescan=2s"}, []string{"MEMOIR_RESCAN=3s"}, func(c config) any { return c.rescan }, 2 * time.Second},
		"a flag over a variable that is wrong": {[]string{"--rescan=2s"}, []string{"MEMOIR_RESCAN=soon"},
			func(c config) any { return c.rescan }, 2 * time.Second},
		"a repeatable flag replaces its variable": {[]string{"--allowed-host=a"}, []string{"MEMOIR_ALLOWED_HOST=b,c"},
			func(c config) any { return c.allowedHosts }, []string{"a"}},
		"DATABASE_URL when nothing nearer is there": {nil, []string{"DATABASE_URL=postgres://a"}, func(c config) any { return c.databaseURL }, "postgres://a"},
		"MEMOIR_DATABASE_URL over DATABASE_URL": {nil, []string{"DATABASE_URL=postgres://a", "MEMOIR_DATABASE_URL=postgres://b"},
			func(c config) any { return c.databaseURL }, "postgres://b"},
		"DATABASE_URL over an empty MEMOIR_DATABASE_URL": {nil, []string{"DATABASE_URL=postgres://a", "MEMOIR_DATABASE_URL="},
			func(c config) any { return c.databaseURL }, "postgres://a"},
		"an empty --database-url asks for the private one": {[]string{"--database-url="}, []string{"DATABASE_URL=postgres://a"},
			func(c config) any { return c.databaseURL }, ""},
		"an empty variable is none":              {nil, []string{"MEMOIR_ADDR="}, func(c config) any { return c.addr }, "127.0.0.1:8080"},
		"an empty MEMOIR_AGENTS_DIR is off":      {nil, []string{"MEMOIR_AGENTS_DIR="}, func(c config) any { return c.agentsDir }, ""},
		"an empty --agents-dir is off":           {[]string{"--agents-dir="}, nil, func(c config) any { return c.agentsDir }, ""},
		"an empty MEMOIR_CLAUDE_DIR is off":      {nil, []string{"MEMOIR_CLAUDE_DIR="}, func(c config) any { return c.claudeDir }, ""},
		"an empty --claude-dir is off":           {[]string{"--claude-dir="}, nil, func(c config) any { return c.claudeDir }, ""},
		"an empty --team-dir is off":             {[]string{"--team-dir="}, nil, func(c config) any { return c.teamDir }, ""},
		"an empty MEMOIR_TEAM_DIR is off":        {nil, []string{"MEMOIR_TEAM_DIR="}, func(c config) any { return c.teamDir }, ""},
		"a set --team-dir is never created":      {[]string{"--team-dir=/t"}, nil, func(c config) any { return c.isOwnTeamDir }, false},
		"shared memories move with --claude-dir": {[]string{"--claude-dir=/c"}, nil, func(c config) any { return c.teamDir }, "/c/shared-memory"},
		"none are shared without --claude-dir":   {[]string{"--claude-dir="}, nil, func(c config) any { return c.teamDir }, ""},
		"none are shared around other memories": {[]string{"--memory-dir=a=/home/ada/.claude/shared-memory/a"}, nil,
			func(c config) any { return c.teamDir }, ""},
		"an empty MEMOIR_CLAUDE_COMMAND is off":      {nil, []string{"MEMOIR_CLAUDE_COMMAND="}, func(c config) any { return c.model.command }, ""},
		"an empty --background-model is off":         {[]string{"--background-model="}, nil, func(c config) any { return c.model.background }, ""},
		"CLAUDE_CONFIG_DIR over the home":            {nil, []string{"CLAUDE_CONFIG_DIR=/c"}, func(c config) any { return c.claudeDir }, "/c"},
		"MEMOIR_CLAUDE_DIR over CLAUDE_CONFIG_DIR":   {nil, []string{"CLAUDE_CONFIG_DIR=/c", "MEMOIR_CLAUDE_DIR=/d"}, func(c config) any { return c.claudeDir }, "/d"},
		"XDG_DATA_HOME over the home":                {nil, []string{"XDG_DATA_HOME=/x"}, func(c config) any { return c.dataDir }, "/x/memoir"},
		"a relative XDG_DATA_HOME is ignored":        {nil, []string{"XDG_DATA_HOME=x"}, func(c config) any { return c.dataDir }, "/home/ada/.local/share/memoir"},
		"a tilde that the shell left is the home":    {[]string{"--agents-dir=~/agents"}, nil, func(c config) any { return c.agentsDir }, "/home/ada/agents"},
		"a tilde within a list is the home":          {nil, []string{"MEMOIR_MEMORY_DIR=a=~/m"}, func(c config) any { return c.memoryDirs }, []agents.NamedDir{{Slug: "a", Path: "/home/ada/m"}}},
		"no home and no CLAUDE_CONFIG_DIR is off":    {[]string{"--data-dir=/d"}, []string{"HOME="}, func(c config) any { return c.claudeDir }, ""},
		"a database of one's own needs no directory": {[]string{"--database-url=postgres://a"}, []string{"HOME="}, func(c config) any { return c.dataDir }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.got(parse(t, test.args, test.env...)); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParseConfig_RelativePath(t *testing.T) {
	t.Parallel()
	want, err := filepath.Abs("agents")
	if err != nil {
		t.Fatal(err)
	}
	if got := parse(t, []string{"--agents-dir", "./agents"}).agentsDir; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseConfig_LoopbackWithoutToken(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"127.0.0.1:8080", "127.8.9.10:0", "[::1]:8080", "localhost:8080", "LocalHost:80", "[::ffff:127.0.0.1]:80"} {
		if c := parse(t, []string{"--addr", addr}); c.addr != addr {
			t.Errorf("%s was changed to %s", addr, c.addr)
		}
	}
	for _, addr := range []string{":8080", "0.0.0.0:8080", "[::]:8080", "192.168.1.5:8080", "memoir.example.org:80", "localhost.example.org:80"} {
		_, err := parseConfig([]string{"--addr", addr}, environment(), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "MEMOIR_TOKEN") || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s without a token: %v", addr, err)
		}
		parse(t, []string{"--addr", addr}, "MEMOIR_TOKEN=open-sesame-please")
	}
}

func TestParseConfig_InvalidSettings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args, env []string
		says      []string
	}{
		"an address without a port":         {[]string{"--addr=localhost"}, nil, []string{"--addr localhost", "HOST:PORT"}},
		"a port that is a word":             {[]string{"--addr=localhost:http"}, nil, []string{"--addr localhost:http", "port"}},
		"a port that is too high":           {[]string{"--addr=localhost:70000"}, nil, []string{"65535"}},
		"a short token on the network":      {[]string{"--addr=:8080", "--token=fifteen-letters"}, nil, []string{"--token has 15 characters", "at least 16"}},
		"a short token behind a proxy":      {[]string{"--public-url=https://memoir.example.org", "--token=fifteen-letters"}, nil, []string{"--token has 15 characters", "at least 16"}},
		"a short token for readers":         {[]string{"--addr=:8080", "--token=sixteen-letters-", "--read-token=fifteen-letters"}, nil, []string{"--read-token has 15 characters"}},
		"a proxy without a token":           {[]string{"--public-url=https://memoir.example.org"}, nil, []string{"--public-url https://memoir.example.org", "MEMOIR_TOKEN"}},
		"a public URL with a path":          {[]string{"--public-url=https://example.org/memoir"}, nil, []string{"public-url", "a path is not supported"}},
		"a public URL that is none":         {nil, []string{"MEMOIR_PUBLIC_URL=memoir.example.org"}, []string{"MEMOIR_PUBLIC_URL", "https://memoir.example.org"}},
		"a certificate without its key":     {[]string{"--tls-cert=a.pem"}, nil, []string{"--tls-cert and --tls-key belong together"}},
		"a key without its certificate":     {nil, []string{"MEMOIR_TLS_KEY=a.pem"}, []string{"--tls-cert and --tls-key belong together"}},
		"a token with a space":              {[]string{"--token=open sesame"}, nil, []string{"--token", "without spaces"}},
		"a token beyond ASCII":              {nil, []string{"MEMOIR_TOKEN=öffne"}, []string{"--token", "ASCII"}},
		"a token for readers with a space":  {[]string{"--token=a", "--read-token=open sesame"}, nil, []string{"--read-token", "without spaces"}},
		"a token for readers alone":         {nil, []string{"MEMOIR_READ_TOKEN=look-only-my-friend"}, []string{"--read-token", "MEMOIR_TOKEN"}},
		"one token for all and for readers": {[]string{"--token=a", "--read-token=a"}, nil, []string{"--read-token equals --token"}},
		"a debounce of nothing":             {[]string{"--debounce=0s"}, nil, []string{"--debounce", "above zero"}},
		"a debounce without a unit":         {[]string{"--debounce=200"}, nil, []string{"--debounce", "200ms"}},
		"a rescan below zero":               {nil, []string{"MEMOIR_RESCAN=-1s"}, []string{"MEMOIR_RESCAN=-1s", "above zero"}},
		"a way of extracting":               {[]string{"--extract=always"}, nil, []string{"--extract always", "off, propose or auto"}},
		"a way of watching":                 {[]string{"--watch=fanotify"}, nil, []string{"--watch fanotify", "auto or poll"}},
		"a limit of nothing":                {[]string{"--claude-md-limit=0"}, nil, []string{"--claude-md-limit", "at least 1"}},
		"a price of nothing":                {[]string{"--token-price=0"}, nil, []string{"--token-price", "in dollars"}},
		"a limit that is a word":            {[]string{"--claude-md-limit=many"}, nil, []string{"--claude-md-limit", "number of characters"}},
		"a team directory among the agents": {[]string{"--agents-dir=/srv/agents", "--team-dir=/srv/agents/team"}, nil, []string{"--team-dir", "/srv/agents", "inside"}},
		"a team directory around an agent":  {nil, []string{"MEMOIR_TEAM_DIR=/srv", "MEMOIR_MEMORY_DIR=a=/srv/a"}, []string{"--team-dir", "/srv/a is inside /srv", "the memory directory of a"}},
		"a team directory that is another":  {[]string{"--team-dir=/srv/a", "--memory-dir=a=/srv/a/"}, nil, []string{"--team-dir", "/srv/a is also the memory directory of a"}},
		"a memory directory without slug":   {[]string{"--memory-dir=/srv/a"}, nil, []string{"--memory-dir", "slug=PATH"}},
		"a memory directory without path":   {[]string{"--memory-dir=a="}, nil, []string{"--memory-dir", "slug=PATH"}},
		"a slug that would climb":           {[]string{"--memory-dir=..=/srv/a"}, nil, []string{"--memory-dir", "dot"}},
		"a slug that a URL would escape":    {nil, []string{"MEMOIR_MEMORY_DIR=a b=/srv/a"}, []string{"MEMOIR_MEMORY_DIR", "slug"}},
		"an allowed host with a port":       {[]string{"--allowed-host=a.example.org:80"}, nil, []string{"--allowed-host", "leave the port out"}},
		"an allowed host that is a URL":     {[]string{"--allowed-host=https://a.example.org"}, nil, []string{"--allowed-host", "host name or address"}},
		"an allowed host with a wildcard":   {[]string{"--allowed-host=*.example.org"}, nil, []string{"--allowed-host", "host name or address"}},
		"a consolidation that is unknown":   {[]string{"--consolidate=often"}, nil, []string{"--consolidate often", "off, plan or auto"}},
		"an embedding URL without scheme":   {[]string{"--embedding-url=localhost:11434", "--embedding-model=m"}, nil, []string{"--embedding-url", "http://127.0.0.1:11434"}},
		"an embedding URL with a password":  {[]string{"--embedding-url=https://a:b-c-d@example.org", "--embedding-model=m"}, nil, []string{"--embedding-url has a password", "MEMOIR_EMBEDDING_KEY"}},
		"an embedding URL with a query":     {[]string{"--embedding-url=https://example.org?key=x", "--embedding-model=m"}, nil, []string{"--embedding-url", "base of an API"}},
		"an embedding URL without a model":  {[]string{"--embedding-url=http://127.0.0.1:11434"}, nil, []string{"--embedding-model"}},
		"an embedding key with a space":     {[]string{"--embedding-url=http://127.0.0.1:11434", "--embedding-model=m"}, []string{"MEMOIR_EMBEDDING_KEY=a b"}, []string{"MEMOIR_EMBEDDING_KEY", "without spaces"}},
		"an issuer without a client":        {[]string{"--oidc-issuer=https://id.example.org"}, nil, []string{"--oidc-issuer", "--oidc-client-id", "together"}},
		"a client's secret without issuer":  {[]string{"--oidc-client-secret-file=/run/secret"}, nil, []string{"--oidc-issuer", "--oidc-client-id", "together"}},
		"an issuer that is a host":          {[]string{"--oidc-issuer=id.example.org", "--oidc-client-id=memoir"}, nil, []string{"--oidc-issuer", "https://id.example.org"}},
		"an issuer with a query":            {[]string{"--oidc-issuer=https://id.example.org?a=b", "--oidc-client-id=memoir"}, nil, []string{"--oidc-issuer"}},
		"an issuer without TLS":             {[]string{"--oidc-issuer=http://id.example.org", "--oidc-client-id=memoir"}, nil, []string{"--oidc-issuer must be https"}},
		"an issuer without public URL":      {[]string{"--oidc-issuer=https://id.example.org", "--oidc-client-id=memoir"}, nil, []string{"--oidc-issuer needs --public-url", "https://memoir.example.org"}},
		"an empty claim":                    {[]string{"--oidc-issuer=https://id.example.org", "--oidc-client-id=memoir", "--oidc-claim="}, nil, []string{"--oidc-claim", "email"}},
		"two secrets of a client":           {[]string{"--oidc-issuer=https://id.example.org", "--oidc-client-id=memoir", "--oidc-client-secret-file=/run/secret"}, []string{"MEMOIR_OIDC_CLIENT_SECRET=x"}, []string{"--oidc-client-secret-file", "MEMOIR_OIDC_CLIENT_SECRET", "remove one"}},
		"a log format that is unknown":      {[]string{"--log-format=xml"}, nil, []string{"--log-format xml", "text or json"}},
		"no place to keep anything":         {nil, []string{"HOME="}, []string{"--data-dir", "--database-url"}},
		"a flag that is unknown":            {[]string{"--port=80"}, nil, []string{"unknown flag --port", "--help"}},
		"a flag without its value":          {[]string{"--addr"}, nil, []string{"missing after --addr", "--help"}},
		"an argument that is no flag":       {[]string{"serve"}, nil, []string{`"serve"`, "--help"}},
		"a value that stands after a stop":  {[]string{"--", "--addr"}, nil, []string{`"--addr"`, "--help"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseConfig(test.args, environment(test.env...), &bytes.Buffer{})
			if err == nil || errors.Is(err, errAnswered) {
				t.Fatalf("accepted (%v)", err)
			}
			for _, part := range test.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestParseConfig_ErrorWithoutToken(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--token", "open sesame"}, {"--token", "a", "--read-token", "open sesame"}, {"--read-token", "sesame"}, {"--token", "sesame", "--read-token", "sesame"},
	} {
		if _, err := parseConfig(args, environment(), &bytes.Buffer{}); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("got %v", err)
		}
	}
}

func TestParseConfig_HelpAndVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"--help", "-h", "--version"} {
		var out bytes.Buffer
		_, err := parseConfig([]string{name, "--addr=nonsense"}, environment("MEMOIR_RESCAN=soon"), &out)
		if !errors.Is(err, errAnswered) || !strings.Contains(strings.ToLower(out.String()), "memoir") {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
	}
}

func TestUsage_EveryFlag(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	defaults(environment()).flagSet().VisitAll(func(f *flag.Flag) {
		count++
		if !regexp.MustCompile(`(?m)^  --` + f.Name + ` `).MatchString(usage) {
			t.Errorf("--help leaves out --%s", f.Name)
		}
		for _, variable := range variablesOf(f.Name) {
			if !regexp.MustCompile("(?m)^\\| `--" + f.Name + "` .*`" + variable + "`").Match(readme) {
				t.Errorf("the README's table has no row for --%s with %s", f.Name, variable)
			}
		}
	})
	if rows := len(regexp.MustCompile("(?m)^\\| `--").FindAll(readme, -1)); rows != count {
		t.Errorf("the README's table has %d rows for %d flags", rows, count)
	}
}

func TestCheckListener_PublicAddress(t *testing.T) {
	t.Parallel()
	for at, open := range map[string]bool{"127.0.0.1": false, "127.8.8.8": false, "::1": false, "0.0.0.0": true, "::": true, "192.168.1.7": true} {
		address := &net.TCPAddr{IP: net.ParseIP(at), Port: 8080}
		named := parse(t, []string{"--addr=localhost:8080"})
		if err := named.checkListener(address); (err != nil) != open {
			t.Errorf("localhost is %s: %v", at, err)
		}
		locked := parse(t, []string{"--addr=localhost:8080", "--token=a-secret-of-many-letters"})
		if err := locked.checkListener(address); err != nil {
			t.Errorf("with a token, localhost is %s: %v", at, err)
		}
	}
}
