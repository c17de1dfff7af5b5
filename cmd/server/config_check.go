package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/gate"
)

// check returns an error for users if a setting is invalid or settings do not fit together, such as
// a public address without a token. It changes no setting.
func (c *config) check() error {
	host, port, err := net.SplitHostPort(c.addr)
	if err != nil {
		return fmt.Errorf("--addr %s must be HOST:PORT, such as 127.0.0.1:8080", c.addr)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("--addr %s needs a port up to 65535", c.addr)
	} else if c.token == "" && !isLoopback(host) {
		return fmt.Errorf("--addr %s is open to other machines, so a token is required: set MEMOIR_TOKEN (or --token), "+
			"or listen on 127.0.0.1:%d", c.addr, number)
	}
	isPublic := c.publicURL.Host != "" && !c.publicURL.IsLocal()
	if c.token == "" && isPublic {
		return fmt.Errorf("--public-url %s is for other machines, so a token is required: set MEMOIR_TOKEN (or --token)", c.publicURL.Origin())
	}
	if isPublic || !isLoopback(host) {
		if err := c.checkTokenLength(); err != nil {
			return err
		}
	}
	if (c.tlsCert == "") != (c.tlsKey == "") {
		return errors.New("--tls-cert and --tls-key belong together: set both or neither")
	}
	if !isBearerToken(c.token) {
		return errors.New("--token must be printable ASCII without spaces, because an HTTP header carries it")
	}
	if err := c.checkReadToken(); err != nil {
		return err
	}
	if (c.authHeader == "") != (len(c.authProxies) == 0) {
		return errors.New("--auth-header and --auth-proxy belong together: name the header, and the addresses of the proxies that set it")
	}
	if strings.ContainsFunc(c.authHeader, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) {
		return errors.New("--auth-header must be the name of a header, such as X-Forwarded-User")
	}
	if err := c.oidc.check(c.publicURL); err != nil {
		return err
	}
	if c.dataDir == "" && c.databaseURL == "" {
		return errors.New("no home directory found: set --data-dir, or --database-url for your own Postgres")
	}
	if err := placesOf(*c).CheckTeamDir(); err != nil {
		return fmt.Errorf("--team-dir is invalid: %w", err)
	}
	if c.consolidate != consolidation.Off && c.consolidate != consolidation.Plan && c.consolidate != consolidation.Auto {
		return fmt.Errorf("--consolidate %s is unknown: use off, plan or auto", c.consolidate)
	}
	if c.watch != watchAuto && c.watch != watchPoll {
		return fmt.Errorf("--watch %s is unknown: use auto or poll", c.watch)
	}
	if !slices.Contains(extraction.Modes, c.extract.mode) {
		return fmt.Errorf("--extract %s is unknown: use off, propose or auto", c.extract.mode)
	}
	if err := c.embedding.check(); err != nil {
		return err
	}
	if c.askedAs.mode != askedAsModel && c.askedAs.mode != askedAsOff {
		return fmt.Errorf("--asked-as %s is unknown: use model or off", c.askedAs.mode)
	}
	if c.backup.keep < 0 {
		return errors.New("--backup-keep must be a number of backups, or 0 for all")
	}
	if c.backup.every < time.Second {
		return errors.New("--backup-every must be at least 1s, such as 24h")
	}
	if c.logFormat != "text" && c.logFormat != "json" {
		return fmt.Errorf("--log-format %s is unknown: use text or json", c.logFormat)
	}
	return nil
}

// check returns an error for users if the URL is no base of an API, has a secret, or has no model.
func (c embeddingConfig) check() error {
	if c.url == "" {
		return nil
	}
	u, err := url.Parse(c.url)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.RawQuery != "", u.Fragment != "":
		return errors.New("--embedding-url must be the base of an API, such as http://127.0.0.1:11434")
	case u.User != nil:
		return fmt.Errorf("--embedding-url has a password, which logs could show: set %s instead", embeddingKey)
	case c.model == "":
		return errors.New("--embedding-url needs the name of a model: set --embedding-model, such as nomic-embed-text")
	case !isBearerToken(c.key):
		return fmt.Errorf("%s must be printable ASCII without spaces, because an HTTP header carries it", embeddingKey)
	}
	return nil
}

// isLoopback reports whether only this machine can reach a server on that host: localhost or a
// loopback address. It is false for other names, whose addresses can change, and for an empty host,
// which means all addresses.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// checkListener returns an error for users if other machines can reach at, the server's address,
// without a token or with one shorter than gate.MinNetworkToken. check cannot find this: localhost
// can have a public address.
func (c *config) checkListener(at net.Addr) error {
	found, ok := at.(*net.TCPAddr)
	if !ok || found.IP.IsLoopback() {
		return nil
	}
	if c.token == "" {
		return fmt.Errorf("--addr %s is %s here, which other machines can reach: set MEMOIR_TOKEN (or --token), or listen on 127.0.0.1", c.addr, found.IP)
	}
	return c.checkTokenLength()
}

// checkTokenLength returns an error for users if --token or --read-token is set but shorter than
// gate.MinNetworkToken.
func (c *config) checkTokenLength() error {
	for flag, token := range map[string]string{"--token": c.token, "--read-token": c.readToken} {
		if token != "" && len(token) < gate.MinNetworkToken {
			return fmt.Errorf("%s has %d characters, and other machines can reach this server: use at least %d, such as the output of openssl rand -hex 16",
				flag, len(token), gate.MinNetworkToken)
		}
	}
	return nil
}

// checkReadToken returns an error for users if --read-token equals --token or has a space or
// another character than printable ASCII. So it does if --token is not set, because readers could
// write then. It returns nil if --read-token is not set.
func (c *config) checkReadToken() error {
	switch {
	case c.readToken == "":
		return nil
	case !isBearerToken(c.readToken):
		return errors.New("--read-token must be printable ASCII without spaces, because an HTTP header carries it")
	case c.token == "":
		return errors.New("--read-token without a token would let everyone write: set MEMOIR_TOKEN (or --token) too")
	case c.readToken == c.token:
		return errors.New("--read-token equals --token, so readers could write: choose another --read-token")
	}
	return nil
}

func isBearerToken(token string) bool {
	return !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isSlug reports whether a slug has only ASCII letters, digits, dots, underscores and dashes, at
// least one, and does not start with a dot.
func isSlug(slug string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return slug != "" && slug[0] != '.' && strings.Trim(slug, allowed) == ""
}

// hostOnly returns a host in lower case, without the brackets of an IPv6 address. It returns an
// error for users if the value is empty, has a port, or is a pattern, path or list of hosts.
func hostOnly(value string) (string, error) {
	host := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"))
	if host == "" || strings.ContainsAny(host, "/*@[] ,") {
		return "", errors.New("it must be a host name or address, such as memoir.example.org")
	}
	if _, _, err := net.SplitHostPort(host); err == nil {
		return "", errors.New("leave the port out: any port of the host is allowed")
	}
	return host, nil
}

// variablesOf returns the names of the environment variables for a flag, the preferred one first.
func variablesOf(name string) []string {
	variables := []string{"MEMOIR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
	if name == "database-url" {
		variables = append(variables, "DATABASE_URL") // set by hosting platforms
	}
	return variables
}

// setFromEnvironment sets each flag that is not on the command line, except --version, from its
// first variable in env. An empty variable counts as absent, unless the flag is in emptyMeansOff.
// It returns an error for users, and stops, at the first invalid value.
func setFromEnvironment(flags *flag.FlagSet, env func(string) (string, bool)) error {
	given := map[string]bool{"version": true}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })

	var failure error
	flags.VisitAll(func(f *flag.Flag) {
		if given[f.Name] || failure != nil {
			return
		}
		for _, variable := range variablesOf(f.Name) {
			value, found := env(variable)
			if !found || value == "" && !slices.Contains(emptyMeansOff, f.Name) {
				continue
			}
			failure = setAll(flags, f.Name, variable, value)
			return
		}
	})
	return failure
}

// setAll sets a flag from the value of a variable. For a repeatable flag it splits the value at
// commas and sets the flag for each part. It returns an error for users, with the variable's name,
// if a value is invalid.
func setAll(flags *flag.FlagSet, name, variable, value string) error {
	values := []string{value}
	if isList(name) {
		values = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
	}
	for _, v := range values {
		if isList(name) {
			v = strings.TrimSpace(v)
		}
		if err := flags.Set(name, v); err != nil {
			return fmt.Errorf("%s=%s is invalid: %w", variable, value, err)
		}
	}
	return nil
}

// emptyMeansOff are the flags with a default that an empty value turns off.
var emptyMeansOff = []string{"agents-dir", "claude-dir", "qwen-dir", "gemini-dir", "codex-dir", "openclaw-dir", "letta-dir", "team-dir", "model", "background-model", "claude-command"}

func isList(name string) bool {
	return name == "memory-dir" || name == "allowed-host" || name == "auth-proxy"
}
