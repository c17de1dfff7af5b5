package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"memoir/internal/access/oidc"
	"memoir/internal/agents"
	"memoir/internal/askedas"
	"memoir/internal/cli"
	"memoir/internal/consolidation"
	"memoir/internal/embedding"
	"memoir/internal/extraction"
	"memoir/internal/findings"
	"memoir/internal/gate"
	"memoir/internal/model"
	"memoir/internal/postgres/local"
	"memoir/internal/review"
	"memoir/internal/version"
)

// config holds the checked settings of the server.
type config struct {
	addr      string // host:port; without a token a loopback address
	agentsDir string // absolute; empty turns the hive layout off
	claudeDir string // absolute; empty turns the claude layout off
	// The directories of other clients, absolute. An empty one turns the client's layout off.
	qwenDir, geminiDir, codexDir, openClawDir, lettaDir string
	// memoryDirs have absolute paths and are in the order of the flags.
	memoryDirs    []agents.NamedDir
	teamDir       string         // absolute; empty without shared memories
	isOwnTeamDir  bool           // teamDir is the default, and created when it is first needed
	dataDir       string         // absolute; may be empty only if databaseURL is set
	databaseURL   string         // empty for a private Postgres in dataDir
	isTemporary   bool           // a power cut may lose dataDir; not a setting of users
	token         string         // empty if no token is needed
	readToken     string         // empty if there are no readers; else differs from token, which is set
	authHeader    string         // header with the user's name; empty for none
	authProxies   []netip.Prefix // the peers that may send it; not empty if authHeader is set
	oidc          oidcConfig
	debounce      time.Duration // above zero
	rescan        time.Duration // above zero
	watch         string        // auto or poll
	claudeMDLimit int           // above zero; Unicode characters of the whole file
	ageNotes      bool          // CLAUDE.md marks stale memories
	tokenPrice    float64       // of a million tokens, in dollars; 0 shows no prices
	allowedHosts  []string      // lower case, without port or brackets
	publicURL     gate.PublicURL
	tlsCert       string // absolute; empty for plain HTTP
	tlsKey        string // absolute; empty if tlsCert is empty
	logFormat     string // text or json
	model         modelConfig
	consolidate   consolidation.Mode
	extract       extractConfig
	review        reviewConfig
	embedding     embeddingConfig
	askedAs       askedAsConfig
	backup        backupConfig
}

// backupConfig holds the settings of the scheduled backups.
type backupConfig struct {
	dir   string        // absolute; empty for none
	every time.Duration // above zero
	keep  int           // number of backups that stay; 0 means all
}

// embeddingConfig holds the settings of the search by meaning.
type embeddingConfig struct {
	url   string // base of the API; empty for none
	model string // not empty if url is set
	key   string // empty if none is sent
	// dailyTokens limits the input for memories; 0 means no limit.
	dailyTokens int64
}

// extractConfig holds the settings of extraction.
type extractConfig struct {
	mode  extraction.Mode
	quiet time.Duration // above zero
	// dailyTokens limits the reading that nobody asked for; 0 means no limit.
	dailyTokens int64
}

// reviewConfig holds the settings of the review.
type reviewConfig struct {
	off         []findings.Kind // kinds that it does not look for
	dailyTokens int64           // of the background model; 0 means no limit
}

// askedAsConfig holds the settings of the phrases as which memories are asked.
type askedAsConfig struct {
	mode        string // model or off
	dailyTokens int64  // of the background model; 0 means no limit
}

// The values of --asked-as.
const (
	askedAsModel = "model"
	askedAsOff   = "off"
)

// modelConfig holds the settings of the language models.
type modelConfig struct {
	name       string         // for recall; empty for none
	background string         // for background work; empty for none
	command    string         // claude command line for background work without a key; empty for none
	endpoint   model.Endpoint // of the Messages API; without a key or token it is not used
}

// defaultClaudeMDLimit is the length from which Claude Code warns about a CLAUDE.md, in Unicode
// characters.
const defaultClaudeMDLimit = 40_000

// The values of --watch.
const (
	watchAuto = "auto"
	watchPoll = "poll"
)

// errAnswered means that --help or --version was written, so that the program can end.
var errAnswered = errors.New("answered")

// parseConfig returns the checked settings, with absolute paths. A flag has priority over its
// variable in env, and that over the default. A repeatable flag replaces its variable. An empty
// variable counts as absent, except where an empty value turns something off. For --help and
// --version it writes the answer to out and returns errAnswered. Other errors are sentences for
// users.
func parseConfig(args []string, env func(string) (string, bool), out io.Writer) (config, error) {
	c := defaults(env)
	flags := c.flagSet()
	isVersion := flags.Bool("version", false, "")

	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(out, usage)
		return config{}, errAnswered
	case err != nil:
		return config{}, fmt.Errorf("%s (see --help)", cli.PlainFlagMessage(err))
	case *isVersion:
		fmt.Fprintln(out, "memoir", version.Current())
		return config{}, errAnswered
	case flags.NArg() > 0:
		return config{}, fmt.Errorf("unexpected argument %q (see --help)", flags.Arg(0))
	}
	if err := setFromEnvironment(flags, env); err != nil {
		return config{}, err
	}
	if err := c.makePathsAbsolute(env); err != nil {
		return config{}, err
	}
	c.setOwnTeamDir(flags)
	if err := c.check(); err != nil {
		return config{}, err
	}
	return *c, nil
}

// embeddingKey is the variable with the key of the embedding endpoint. It has no flag, because other
// users can read the process list.
const embeddingKey = "MEMOIR_EMBEDDING_KEY"

// defaults returns the default settings. It reads only these from env: the models' keys and URL, and
// the variables for the directories of Claude Code and Memoir. Without a home directory in env,
// claudeDir and dataDir may be empty.
func defaults(env func(string) (string, bool)) *config {
	c := &config{
		addr:          "127.0.0.1:8080",
		agentsDir:     "/tmp/agents",
		debounce:      200 * time.Millisecond,
		rescan:        60 * time.Second,
		watch:         watchAuto,
		claudeMDLimit: defaultClaudeMDLimit,
		logFormat:     "text",
		model:         modelConfig{name: model.Default, background: model.Thorough, command: "claude"},
		consolidate:   consolidation.Plan,
		extract:       extractConfig{mode: extraction.Propose, quiet: extraction.DefaultQuiet, dailyTokens: extraction.DefaultDailyTokens},
		review:        reviewConfig{dailyTokens: review.DefaultDailyTokens},
		embedding:     embeddingConfig{dailyTokens: embedding.DefaultDailyTokens},
		askedAs:       askedAsConfig{askedAsModel, askedas.DefaultDailyTokens},
		backup:        backupConfig{every: 24 * time.Hour, keep: 7},
		oidc:          oidcConfig{claim: oidc.DefaultClaim},
	}
	c.model.endpoint.Key, _ = env("ANTHROPIC_API_KEY")
	c.model.endpoint.AuthToken, _ = env("ANTHROPIC_AUTH_TOKEN")
	c.model.endpoint.URL, _ = env("ANTHROPIC_BASE_URL")
	c.embedding.key, _ = env(embeddingKey)
	c.oidc.secret, _ = env(oidcSecret)
	// A service may have no home directory. Then check requires the directories as settings.
	home, _ := env("HOME")
	if dir, _ := env("CLAUDE_CONFIG_DIR"); dir != "" {
		c.claudeDir = dir
	} else if home != "" {
		c.claudeDir = filepath.Join(home, ".claude")
	}
	c.qwenDir = clientDir(env, home, ".qwen", "QWEN_RUNTIME_DIR", "QWEN_HOME")
	c.geminiDir = clientDir(env, home, ".gemini")
	c.codexDir = clientDir(env, home, ".codex", "CODEX_HOME")
	c.openClawDir = clientDir(env, home, ".openclaw")
	c.lettaDir = clientDir(env, home, ".letta")
	if dir := local.DataHome(env); dir != "" {
		c.dataDir = filepath.Join(dir, "memoir")
	}
	return c
}

// clientDir returns the directory of a client: that in the first of its variables that is set, else
// name in the home directory. It returns "" without either.
func clientDir(env func(string) (string, bool), home, name string, variables ...string) string {
	for _, variable := range variables {
		if dir, _ := env(variable); dir != "" {
			return dir
		}
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, name)
}

func (c *config) flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet("memoir", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller shows errors and writeUsage the help
	flags.Usage = func() {}

	flags.StringVar(&c.addr, "addr", c.addr, "")
	flags.StringVar(&c.agentsDir, "agents-dir", c.agentsDir, "")
	flags.StringVar(&c.claudeDir, "claude-dir", c.claudeDir, "")
	flags.StringVar(&c.qwenDir, "qwen-dir", c.qwenDir, "")
	flags.StringVar(&c.geminiDir, "gemini-dir", c.geminiDir, "")
	flags.StringVar(&c.codexDir, "codex-dir", c.codexDir, "")
	flags.StringVar(&c.openClawDir, "openclaw-dir", c.openClawDir, "")
	flags.StringVar(&c.lettaDir, "letta-dir", c.lettaDir, "")
	flags.Func("memory-dir", "", c.addMemoryDir)
	flags.StringVar(&c.teamDir, "team-dir", "", "")
	flags.StringVar(&c.dataDir, "data-dir", c.dataDir, "")
	flags.StringVar(&c.databaseURL, "database-url", "", "")
	flags.StringVar(&c.token, "token", "", "")
	flags.StringVar(&c.readToken, "read-token", "", "")
	flags.StringVar(&c.authHeader, "auth-header", "", "")
	flags.Func("auth-proxy", "", c.addAuthProxy)
	flags.StringVar(&c.oidc.issuer, "oidc-issuer", "", "")
	flags.StringVar(&c.oidc.clientID, "oidc-client-id", "", "")
	flags.StringVar(&c.oidc.secretFile, "oidc-client-secret-file", "", "")
	flags.StringVar(&c.oidc.claim, "oidc-claim", c.oidc.claim, "")
	flags.Func("debounce", "", durationInto(&c.debounce))
	flags.Func("rescan", "", durationInto(&c.rescan))
	flags.StringVar(&c.watch, "watch", c.watch, "")
	flags.Func("claude-md-limit", "", c.setClaudeMDLimit)
	flags.BoolVar(&c.ageNotes, "age-notes", false, "")
	flags.Func("token-price", "", c.setTokenPrice)
	flags.Func("allowed-host", "", c.addAllowedHost)
	flags.Func("public-url", "", c.setPublicURL)
	flags.StringVar(&c.tlsCert, "tls-cert", "", "")
	flags.StringVar(&c.tlsKey, "tls-key", "", "")
	flags.StringVar((*string)(&c.extract.mode), "extract", string(c.extract.mode), "")
	flags.Func("extract-quiet", "", durationInto(&c.extract.quiet))
	flags.Int64Var(&c.extract.dailyTokens, "extract-daily-tokens", c.extract.dailyTokens, "")
	flags.StringVar(&c.model.name, "model", c.model.name, "")
	flags.StringVar((*string)(&c.consolidate), "consolidate", string(c.consolidate), "")
	flags.Func("review-off", "", c.addReviewOff)
	flags.Int64Var(&c.review.dailyTokens, "review-daily-tokens", c.review.dailyTokens, "")
	flags.StringVar(&c.askedAs.mode, "asked-as", c.askedAs.mode, "")
	flags.Int64Var(&c.askedAs.dailyTokens, "asked-as-daily-tokens", c.askedAs.dailyTokens, "")
	flags.StringVar(&c.model.background, "background-model", c.model.background, "")
	flags.StringVar(&c.model.command, "claude-command", c.model.command, "")
	flags.StringVar(&c.embedding.url, "embedding-url", "", "")
	flags.StringVar(&c.embedding.model, "embedding-model", "", "")
	flags.Int64Var(&c.embedding.dailyTokens, "embedding-daily-tokens", c.embedding.dailyTokens, "")
	flags.StringVar(&c.backup.dir, "backup-dir", "", "")
	flags.Func("backup-every", "", durationInto(&c.backup.every))
	flags.IntVar(&c.backup.keep, "backup-keep", c.backup.keep, "")
	flags.StringVar(&c.logFormat, "log-format", c.logFormat, "")
	return flags
}

// setOwnTeamDir sets the default directory of shared memories, unless the flag is set. There is none
// without Claude Code's directory, and if another setting has memories there.
func (c *config) setOwnTeamDir(flags *flag.FlagSet) {
	isSet := false
	flags.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == "team-dir" })
	if isSet || c.claudeDir == "" {
		return
	}
	c.teamDir, c.isOwnTeamDir = filepath.Join(c.claudeDir, ownTeamDir), true
	if placesOf(*c).CheckTeamDir() != nil {
		c.teamDir, c.isOwnTeamDir = "", false
	}
}

// ownTeamDir is the default directory of shared memories in Claude Code's directory. There it is
// saved and moved together with the other memories.
const ownTeamDir = "shared-memory"

func (c *config) addMemoryDir(value string) error {
	slug, path, found := strings.Cut(value, "=")
	if !found || slug == "" || path == "" {
		return errors.New("it must be slug=PATH, such as reviewer=~/code/shop/.claude/agent-memory/reviewer")
	}
	if !isSlug(slug) {
		return errors.New("the slug must have only letters, digits, '.', '_' and '-', and must not begin with a dot")
	}
	c.memoryDirs = append(c.memoryDirs, agents.NamedDir{Slug: slug, Path: path})
	return nil
}

// addReviewOff adds the kinds in a list with commas to c.review.off. Secrets and injections are
// always held back, so they cannot be switched off.
func (c *config) addReviewOff(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		kind := findings.Kind(strings.TrimSpace(name))
		switch {
		case kind == "":
		case !review.IsKind(kind):
			return fmt.Errorf("unknown kind %q: use %v", name, review.Kinds())
		case review.GroupOf(kind) == review.Safety:
			return fmt.Errorf("%q cannot be switched off: such memories are held back from agents until a person decides", name)
		default:
			c.review.off = append(c.review.off, kind)
		}
	}
	return nil
}

func (c *config) addAllowedHost(value string) error {
	host, err := hostOnly(value)
	if err != nil {
		return err
	}
	c.allowedHosts = append(c.allowedHosts, host)
	return nil
}

// addAuthProxy adds an address, or a network such as 10.0.0.0/8.
func (c *config) addAuthProxy(value string) error {
	network, err := netip.ParsePrefix(value)
	if address, addressErr := netip.ParseAddr(value); addressErr == nil {
		network, err = netip.PrefixFrom(address, address.BitLen()), nil
	}
	if err != nil {
		return errors.New("it must be an address or a network, such as 10.0.0.5 or 10.0.0.0/8")
	}
	c.authProxies = append(c.authProxies, network.Masked())
	return nil
}

func (c *config) setPublicURL(value string) (err error) {
	c.publicURL, err = gate.ParsePublicURL(value)
	return err
}

func (c *config) setClaudeMDLimit(value string) error {
	limit, err := strconv.Atoi(value)
	if err != nil || limit <= 0 {
		return errors.New("it must be a number of characters, at least 1")
	}
	c.claudeMDLimit = limit
	return nil
}

func (c *config) setTokenPrice(value string) error {
	price, err := strconv.ParseFloat(value, 64)
	if err != nil || !(price > 0 && price < 1e6) {
		return errors.New("it is the price of a million tokens in dollars, such as 3 or 0.8")
	}
	c.tokenPrice = price
	return nil
}

func durationInto(target *time.Duration) func(string) error {
	return func(value string) error {
		duration, err := time.ParseDuration(value)
		if err != nil || duration <= 0 {
			return errors.New("it must be a duration above zero, such as 200ms, 60s or 5m")
		}
		*target = duration
		return nil
	}
}

// paths returns all settings that are paths.
func (c *config) paths() []*string {
	paths := []*string{&c.agentsDir, &c.claudeDir, &c.qwenDir, &c.geminiDir, &c.codexDir, &c.openClawDir, &c.lettaDir, &c.teamDir, &c.dataDir, &c.backup.dir, &c.oidc.secretFile, &c.tlsCert, &c.tlsKey}
	for i := range c.memoryDirs {
		paths = append(paths, &c.memoryDirs[i].Path)
	}
	return paths
}

// makePathsAbsolute makes all paths that are not empty absolute. Before, it replaces ~ or ~/ at
// their start by HOME, unless that is empty: shells do not expand --agents-dir=~/agents. It returns
// an error if the working directory is unknown.
func (c *config) makePathsAbsolute(env func(string) (string, bool)) error {
	home, _ := env("HOME")
	for _, path := range c.paths() {
		if *path == "" {
			continue
		}
		if rest, found := strings.CutPrefix(*path, "~"); found && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
			*path = home + rest
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("%s cannot be made an absolute path: %w", *path, err)
		}
		*path = absolute
	}
	return nil
}
