package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"memoir/internal/agents"
	"memoir/internal/cli/remote"
	"memoir/internal/exchange"
	"memoir/internal/wire"
)

// offer is the first line of an exchange, as JSON. The archive follows.
type offer struct {
	Version int            `json:"memoir_exchange"`
	Agents  []offeredAgent `json:"agents"`
}

// offeredAgent is an agent of the sending machine. Remote and Prefix identify its project: the
// remote of its Git repository, and the directory inside.
type offeredAgent struct {
	Slug   string `json:"slug"`
	Remote string `json:"remote,omitempty"`
	Prefix string `json:"prefix,omitempty"`
}

const exchangeVersion = 1

// gitTime limits how long git may take. Arbitrary.
const gitTime = 5 * time.Second

// offeredOf returns the agents of a server on this machine.
func offeredOf(ctx context.Context, server remote.Server) ([]offeredAgent, error) {
	found, _, err := server.Agents(ctx)
	if err != nil {
		return nil, err
	}
	all := []offeredAgent{}
	for _, a := range found {
		if a.JoinedTo != "" {
			continue
		}
		dir := a.Dir
		if a.Layout == agents.Claude && filepath.IsAbs(a.DisplayName) {
			dir = a.DisplayName // the project, not its memory
		}
		one := offeredAgent{Slug: a.Slug}
		if remote := git(ctx, dir, "remote", "get-url", "origin"); remote != "" {
			one.Remote, one.Prefix = exchange.NormalRemote(remote), strings.TrimSuffix(git(ctx, dir, "rev-parse", "--show-prefix"), "/")
		}
		all = append(all, one)
	}
	return all, nil
}

// git returns the output of git in a directory, or "" if it fails.
func git(ctx context.Context, dir string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// mapped returns the pairs there=here of agents whose projects are the same. An agent whose slug
// belongs to another project here gets no agent.
func mapped(theirs, mine []offeredAgent, given []string) []string {
	pairs := slices.Clone(given)
	for _, there := range theirs {
		isGiven := slices.ContainsFunc(given, func(pair string) bool { return strings.HasPrefix(pair, there.Slug+"=") })
		if there.Remote == "" || isGiven {
			continue
		}
		var same []string
		for _, here := range mine {
			if here.Remote == there.Remote && here.Prefix == there.Prefix {
				same = append(same, here.Slug)
			}
		}
		bySlug := slices.IndexFunc(mine, func(a offeredAgent) bool { return a.Slug == there.Slug })
		switch {
		case slices.Contains(same, there.Slug):
		case len(same) == 1:
			pairs = append(pairs, there.Slug+"="+same[0])
		case bySlug >= 0 && mine[bySlug].Remote != "" && mine[bySlug].Remote != there.Remote:
			pairs = append(pairs, there.Slug+"="+exchange.NoAgent)
		}
	}
	return pairs
}

// runExchange is the other end of pull and push: send writes an exchange to standard output, receive
// reads one from standard input and prints the report as JSON.
func runExchange(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("exchange", flag.ContinueOnError)
	server := addressFlags(flags)
	var only, maps stringList
	dry := flags.Bool("dry-run", false, "")
	flags.Var(&only, "agent", "")
	flags.Var(&maps, "map", "")
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	at, err := w.addressOf(server)
	if err != nil {
		return err
	}
	switch {
	case slices.Equal(words, []string{"send"}):
		return sendExchange(ctx, at, only, w.Stdout)
	case slices.Equal(words, []string{"receive"}):
		text, _, err := receiveExchange(ctx, at, w.Stdin, !*dry, maps)
		if err == nil {
			_, err = w.Stdout.Write(text)
		}
		return err
	}
	return misused("exchange takes send or receive; pull and push run it")
}

// sendExchange writes the offer and the archive of a server's agents.
func sendExchange(ctx context.Context, from remote.Server, only []string, to io.Writer) error {
	all, err := offeredOf(ctx, from)
	if err != nil {
		return err
	}
	line, err := json.Marshal(offer{exchangeVersion, all})
	if err != nil {
		return err
	}
	if _, err := to.Write(append(line, '\n')); err != nil {
		return err
	}
	return from.Download(ctx, "/export?"+url.Values{"format": {"archive"}, "pending": {"true"}, "agent": only}.Encode(), to)
}

// receiveExchange imports what sendExchange has written.
func receiveExchange(ctx context.Context, to remote.Server, from io.Reader, apply bool, maps []string) (text []byte, report wire.ImportReport, err error) {
	buffered := bufio.NewReader(from)
	line, err := buffered.ReadBytes('\n')
	var o offer
	if err != nil || json.Unmarshal(line, &o) != nil || o.Version == 0 {
		return nil, report, errors.New("the other machine sent no memories. Nothing was changed. Check that memoir runs there")
	}
	if o.Version != exchangeVersion {
		return nil, report, errors.New("the other machine has another version of Memoir. Nothing was changed. Update both")
	}
	mine, err := offeredOf(ctx, to)
	if err != nil {
		return nil, report, err
	}
	text, err = to.Upload(ctx, "/import?"+importQuery(apply, mapped(o.Agents, mine, maps)).Encode(), buffered, &report)
	return text, report, err
}

// peer is another machine, as ssh://[user@]host[:port][?memoir=PATH&url=URL] names it.
type peer struct {
	host, port string
	memoir     []string // the program there, with the flags of its server
}

func parsePeer(text string) (peer, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "ssh" || u.Hostname() == "" || u.Path != "" && u.Path != "/":
		return peer{}, misused("%q must be an address such as ssh://user@host", text)
	case strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-"):
		return peer{}, misused("%q has a host or user that begins with a hyphen", text)
	}
	p := peer{host: u.Hostname(), port: u.Port(), memoir: []string{"memoir"}}
	if name := u.User.Username(); name != "" {
		p.host = name + "@" + p.host
	}
	query := u.Query()
	for name := range query {
		if name != "memoir" && name != "url" {
			return peer{}, misused("%q has an unknown part %q: use memoir=PATH or url=URL", text, name)
		}
	}
	if at := query.Get("memoir"); at != "" {
		p.memoir[0] = at
	}
	p.memoir = append(p.memoir, "exchange")
	if server := query.Get("url"); server != "" {
		p.memoir = append(p.memoir, "--url", server)
	}
	return p, nil
}

// command returns ssh, or MEMOIR_SSH_COMMAND, that runs Memoir's exchange there.
func (p peer) command(ctx context.Context, w *World, args ...string) (*exec.Cmd, error) {
	program := []string{"ssh"}
	if given, ok := w.Env("MEMOIR_SSH_COMMAND"); ok && given != "" {
		var err error
		if program, err = shellquote.Split(given); err != nil || len(program) == 0 {
			return nil, misused("MEMOIR_SSH_COMMAND cannot be read: %v", err)
		}
	}
	if p.port != "" {
		program = append(program, "-p", p.port)
	}
	program = append(program, "--", p.host, shellquote.Join(append(slices.Clone(p.memoir), args...)...))
	command := exec.CommandContext(ctx, program[0], program[1:]...)
	command.Stderr = w.Stderr
	return command, nil
}

// peerCall is one run of pull or push.
type peerCall struct {
	*World
	peer  peer
	here  remote.Server
	only  stringList
	maps  stringList
	isDry bool
	json  bool
}

func parsePeerCall(w *World, name string, args []string) (*peerCall, error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	c := &peerCall{World: w}
	server := addressFlags(flags)
	flags.Var(&c.only, "agent", "")
	flags.Var(&c.maps, "map", "")
	flags.BoolVar(&c.isDry, "dry-run", false, "")
	flags.BoolVar(&c.json, "json", false, "")
	words, err := parse(flags, args)
	switch {
	case err != nil:
		return nil, err
	case len(words) != 1:
		return nil, misused("%s takes one address such as ssh://user@host", name)
	}
	if c.peer, err = parsePeer(words[0]); err != nil {
		return nil, err
	}
	c.here, err = w.addressOf(server)
	return c, err
}

func (c *peerCall) print(text []byte, report wire.ImportReport) error {
	return printReport(c.World, c.json, text, report, "Nothing was changed.")
}

func repeated(name string, values []string) (args []string) {
	for _, v := range values {
		args = append(args, name, v)
	}
	return args
}

// runPull merges the memories of another machine into this one.
func runPull(ctx context.Context, w *World, args []string) error {
	c, err := parsePeerCall(w, "pull", args)
	if err != nil {
		return err
	}
	command, err := c.peer.command(ctx, w, append([]string{"send"}, repeated("--agent", c.only)...)...)
	if err != nil {
		return err
	}
	// The whole exchange is here before anything changes.
	part, err := os.CreateTemp("", "memoir-pull-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) //nolint:errcheck // temporary
	defer part.Close()           //nolint:errcheck // temporary
	command.Stdout = part
	if err := command.Run(); err != nil {
		return fmt.Errorf("the other machine sent no complete answer, so nothing was changed: %w", err)
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return err
	}
	text, report, err := receiveExchange(ctx, c.here, part, !c.isDry, c.maps)
	if err != nil {
		return err
	}
	return c.print(text, report)
}

// runPush merges the memories of this machine into another one.
func runPush(ctx context.Context, w *World, args []string) error {
	c, err := parsePeerCall(w, "push", args)
	if err != nil {
		return err
	}
	remote := append([]string{"receive"}, repeated("--map", c.maps)...)
	if c.isDry {
		remote = append(remote, "--dry-run")
	}
	command, err := c.peer.command(ctx, w, remote...)
	if err != nil {
		return err
	}
	from, to := io.Pipe()
	var answer bytes.Buffer
	command.Stdin, command.Stdout = from, &answer
	sent := make(chan error, 1)
	go func() {
		err := sendExchange(ctx, c.here, c.only, to)
		to.CloseWithError(err)
		sent <- err
	}()
	err = command.Run()
	from.Close() //nolint:errcheck // ends sendExchange if ssh has ended before
	if sendErr := <-sent; sendErr != nil && !errors.Is(sendErr, io.ErrClosedPipe) {
		return sendErr
	}
	if err != nil {
		return fmt.Errorf("the other machine did not confirm the import. Repeat the push: %w", err)
	}
	var report wire.ImportReport
	if err := json.Unmarshal(answer.Bytes(), &report); err != nil {
		return fmt.Errorf("unexpected answer of the other machine: %w", err)
	}
	return c.print(answer.Bytes(), report)
}
