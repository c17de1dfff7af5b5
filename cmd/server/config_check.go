package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/gate"
)

// check refuses what single values cannot tell: an address that is open to others without a lock, and no place to keep anything.
func (c *config) check() error {
	host, port, err := net.SplitHostPort(c.addr)
	if err != nil {
		return fmt.Errorf("--addr %s is not an address: it is written HOST:PORT, as in 127.0.0.1:8080", c.addr)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("--addr %s has no usable port: it is a number up to 65535", c.addr)
	} else if c.token == "" && !isLoopback(host) {
		return fmt.Errorf("--addr %s can be reached from other machines, which takes a lock: set MEMOIR_TOKEN (or --token), "+
			"or listen on 127.0.0.1:%d", c.addr, number)
	}
	isPublic := c.publicURL.Host != "" && !c.publicURL.IsLocal()
	if c.token == "" && isPublic {
		return fmt.Errorf("--public-url %s is for other machines, which takes a lock: set MEMOIR_TOKEN (or --token)", c.publicURL.Origin())
	}
	if isPublic || !isLoopback(host) {
		if err := c.checkTokenLength(); err != nil {
			return err
		}
	}
	if (c.tlsCert == "") != (c.tlsKey == "") {
		return errors.New("--tls-cert and --tls-key belong together: give both, or neither")
	}
	if !isBearerToken(c.token) {
		return errors.New("--token may hold only printable ASCII characters without spaces: it travels in an HTTP header")
	}
	if err := c.checkReadToken(); err != nil {
		return err
	}
	if c.dataDir == "" && c.databaseURL == "" {
		return errors.New("there is no home directory to keep data in: set --data-dir, or --database-url to use a Postgres of your own")
	}
	if err := placesOf(*c).CheckTeamDir(); err != nil {
		return fmt.Errorf("--team-dir does not work: %w", err)
	}
	if c.consolidate != consolidation.Off && c.consolidate != consolidation.Plan && c.consolidate != consolidation.Auto {
		return fmt.Errorf("--consolidate %s is unknown: it is off, plan or auto", c.consolidate)
	}
	if c.watch != watchAuto && c.watch != watchPoll {
		return fmt.Errorf("--watch %s is unknown: it is auto or poll", c.watch)
	}
	if !slices.Contains(extraction.Modes, c.extract.mode) {
		return fmt.Errorf("--extract %s is unknown: it is off, propose or auto", c.extract.mode)
	}
	if c.logFormat != "text" && c.logFormat != "json" {
		return fmt.Errorf("--log-format %s is unknown: it is text or json", c.logFormat)
	}
	return nil
}

// isLoopback says whether only this machine can reach a server that listens on that host. An empty host is every address.
// Any other name is taken for one that others can reach, as what it resolves to can change.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// checkListener refuses an address that others can reach, unless there is a token: a name such as localhost may stand for any.
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

// checkTokenLength refuses a token that could be guessed over the network.
func (c *config) checkTokenLength() error {
	for flag, token := range map[string]string{"--token": c.token, "--read-token": c.readToken} {
		if token != "" && len(token) < gate.MinNetworkToken {
			return fmt.Errorf("%s has %d characters, and other machines can reach this server: it takes at least %d, such as the output of openssl rand -hex 16",
				flag, len(token), gate.MinNetworkToken)
		}
	}
	return nil
}

// checkReadToken refuses a token for readers beside which everybody could write.
func (c *config) checkReadToken() error {
	switch {
	case c.readToken == "":
		return nil
	case !isBearerToken(c.readToken):
		return errors.New("--read-token may hold only printable ASCII characters without spaces: it travels in an HTTP header")
	case c.token == "":
		return errors.New("--read-token alone keeps nobody from writing, because without --token nobody is asked for any: set MEMOIR_TOKEN (or --token) too")
	case c.readToken == c.token:
		return errors.New("--read-token and --token are the same, so that readers could write: choose another one for readers")
	}
	return nil
}

func isBearerToken(token string) bool {
	return !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isSlug allows what stays readable in a URL without escapes. A leading dot would make "." and ".." slugs.
func isSlug(slug string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return slug != "" && slug[0] != '.' && strings.Trim(slug, allowed) == ""
}

// hostOnly gives a host as the Host header is compared with it: lower case, IPv6 without brackets.
func hostOnly(value string) (string, error) {
	host := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"))
	if host == "" || strings.ContainsAny(host, "/*@[] ,") {
		return "", errors.New("it is a host's name or address alone, as in memoir.example.org")
	}
	if _, _, err := net.SplitHostPort(host); err == nil {
		return "", errors.New("leave the port out: any port of the host is allowed")
	}
	return host, nil
}
