package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/wire"
)

// tokenCall is one run of token, with its flags.
type tokenCall struct {
	*World
	remote.Server
	flags        *flag.FlagSet
	scope, login string
	agents       string
	expires      time.Duration
	json         bool
}

// runToken runs token, which manages the people and programs that may use a server.
func runToken(ctx context.Context, w *World, args []string) error {
	c := &tokenCall{World: w, flags: flag.NewFlagSet("token", flag.ContinueOnError)}
	server := addressFlags(c.flags)
	c.flags.StringVar(&c.scope, "scope", "", "")
	c.flags.StringVar(&c.agents, "agents", "*", "")
	c.flags.StringVar(&c.login, "login", "", "")
	c.flags.Func("expires", "", func(value string) (err error) {
		c.expires, err = lifetimeOf(value)
		return err
	})
	c.flags.BoolVar(&c.json, "json", false, "")
	words, err := parse(c.flags, args)
	switch {
	case err != nil:
		return err
	case len(words) == 0:
		return misused("token needs create, list or revoke")
	}
	verb, words := words[0], words[1:]
	does, known := map[string]func(context.Context, []string) error{"create": c.create, "list": c.list, "revoke": c.revoke}[verb]
	if !known {
		return misused("unknown command token %q: use create, list or revoke", verb)
	}
	takes := 1
	if verb == "list" {
		takes = 0
	}
	if len(words) != takes {
		return misused("token %s takes %d name, not %d", verb, takes, len(words))
	}
	for _, name := range []string{"scope", "agents", "login", "expires"} {
		if verb != "create" && given(c.flags, name) {
			return misused("token %s takes no --%s", verb, name)
		}
	}
	if c.Server, err = w.addressOf(server); err != nil {
		return err
	}
	err = does(ctx, words)
	var absent *remote.AbsentError
	if errors.As(err, &absent) {
		return fmt.Errorf("%w; tokens need a running server", err)
	}
	return err
}

// lifetimeOf parses a number of days, such as 90d, or a Go duration.
func lifetimeOf(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if days, isDays := strings.CutSuffix(value, "d"); isDays {
		var n int
		if n, err = strconv.Atoi(days); n > 100*365 {
			err = strconv.ErrRange
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return 0, errors.New("it must be a duration above zero, such as 90d or 12h")
	}
	return d, nil
}

func (c *tokenCall) create(ctx context.Context, words []string) error {
	if c.scope == "" {
		return misused("token create needs --scope read, agent, write or admin")
	}
	body := map[string]any{"name": words[0], "scope": c.scope, "agents": strings.FieldsFunc(c.agents, func(r rune) bool { return r == ',' || r == ' ' })}
	if c.login != "" {
		body["login"] = c.login
	}
	if c.expires > 0 {
		body["expires_at"] = time.Now().Add(c.expires).UTC().Truncate(time.Second)
	}
	var created memorystore.Answer[wire.NewToken]
	var err error
	if created.JSON, err = c.Call(ctx, http.MethodPost, "/tokens", body, &created.Value); err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, created, func(to io.Writer, t wire.NewToken) error {
		if t.Secret == nil {
			_, err := fmt.Fprintf(to, "%s may sign in as %s\n", terminal.Printable(orNone(t.Login)), terminal.Printable(t.Name))
			return err
		}
		_, err := fmt.Fprintln(to, terminal.Printable(*t.Secret))
		fmt.Fprintf(c.Stderr, "This is the token of %s. It is shown only once.\n", terminal.Printable(t.Name))
		return err
	})
}

// tokens returns the list of tokens.
func (c *tokenCall) tokens(ctx context.Context) (found memorystore.Answer[wire.TokenList], err error) {
	found.JSON, err = c.Call(ctx, http.MethodGet, "/tokens", nil, &found.Value)
	return found, err
}

func (c *tokenCall) list(ctx context.Context, _ []string) error {
	found, err := c.tokens(ctx)
	if err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, found, writeTokens)
}

func (c *tokenCall) revoke(ctx context.Context, words []string) error {
	found, err := c.tokens(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found.Value.Tokens, func(t wire.Token) bool { return t.Name == words[0] || t.ID == words[0] })
	if at < 0 {
		return fmt.Errorf("no token has the name %q; memoir token list shows all", terminal.Printable(words[0]))
	}
	var revoked memorystore.Answer[wire.Token]
	if revoked.JSON, err = c.Call(ctx, http.MethodDelete, "/tokens/"+url.PathEscape(found.Value.Tokens[at].ID), nil, &revoked.Value); err != nil {
		return err
	}
	return printAnswer(c.Stdout, c.json, revoked, func(to io.Writer, t wire.Token) error {
		_, err := fmt.Fprintf(to, "revoked %s\n", terminal.Printable(t.Name))
		return err
	})
}

// writeTokens prints tokens as a table with a header. Without tokens it prints "no tokens".
func writeTokens(to io.Writer, list wire.TokenList) error {
	if len(list.Tokens) == 0 {
		_, err := fmt.Fprintln(to, "no tokens")
		return err
	}
	day := func(t *time.Time) string {
		if t == nil {
			return "never"
		}
		return t.Local().Format("2006-01-02 15:04")
	}
	rows := [][]string{{"NAME", "SCOPE", "AGENTS", "LOGIN", "EXPIRES", "LAST USED"}}
	for _, t := range list.Tokens {
		expires := day(t.ExpiresAt)
		if t.IsExpired {
			expires = "expired " + expires
		}
		agents := terminal.Cut(terminal.Printable(strings.Join(t.Agents, ", ")), nameColumns)
		rows = append(rows, []string{terminal.Cut(terminal.Printable(t.Name), nameColumns), terminal.Printable(t.Scope), agents, terminal.Printable(orNone(t.Login)), expires, day(t.LastUsedAt)})
	}
	return terminal.WriteTable(to, rows)
}
