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
	"strings"

	"memoir/internal/agents"
	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/wire"
)

const publishText = `Publishes an agent's memories into the files of other agents than Claude Code, and keeps them up to date.

Usage: memoir publish [list|to|stop] [TARGET...] [flags]

  list                      the targets of the agent (default)
  to TARGET...              publish into these files too
  stop TARGET...            remove Memoir's text from these files

Targets
TARGETS
  --agent SLUG              the agent (default: the agent of the working directory)
  --json                    print the API's JSON, for scripts

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

// publishHelp returns the help of the command publish, with all targets.
func publishHelp() string {
	var targets strings.Builder
	for _, t := range agents.Targets() {
		fmt.Fprintf(&targets, "  %-24s  %s\n", t.Name, t.Path)
	}
	return strings.Replace(publishText, "TARGETS\n", targets.String(), 1)
}

// runPublish runs publish. It needs a running server.
func runPublish(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("publish", flag.ContinueOnError)
	server := addressFlags(flags)
	slug := flags.String("agent", "", "")
	asJSON := flags.Bool("json", false, "")
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	verb := "list"
	if len(words) > 0 {
		verb, words = words[0], words[1:]
	}
	switch {
	case verb != "list" && verb != "to" && verb != "stop":
		return misused("unknown command publish %q: use list, to or stop", verb)
	case verb == "list" && len(words) > 0:
		return misused("publish list takes no further words, such as %q", words[0])
	case verb != "list" && len(words) == 0:
		return misused("publish %s takes targets: %s", verb, agents.TargetNames())
	}
	for _, name := range words {
		if !slices.ContainsFunc(agents.Targets(), func(t agents.Target) bool { return t.Name == name }) {
			return misused("unknown target %q: use %s", name, agents.TargetNames())
		}
	}
	at, err := w.addressOf(server)
	if err != nil {
		return err
	}
	found, err := changeTargets(ctx, at, *slug, verb, words)
	var absent *remote.AbsentError
	if errors.As(err, &absent) {
		return fmt.Errorf("%w; publishing needs a running server", err)
	}
	if err != nil {
		return err
	}
	if err := printAnswer(w.Stdout, *asJSON, found, writeTargets); err != nil {
		return err
	}
	for _, t := range found.Value.Targets {
		if t.Problem != nil && verb != "list" && slices.Contains(words, t.Target) {
			return errors.New(*t.Problem)
		}
	}
	return nil
}

// changeTargets adds targets to those of an agent (to), or removes them (stop), and returns all.
func changeTargets(ctx context.Context, at remote.Server, slug, verb string, names []string) (memorystore.Answer[wire.TargetList], error) {
	var found memorystore.Answer[wire.TargetList]
	present, absent, err := at.Agents(ctx)
	if err != nil {
		return found, err
	}
	if slug != "" {
		present = append(present, absent...)
	}
	agent, err := chooseAgent(slug, present)
	if err != nil {
		return found, err
	}
	path := "/agents/" + url.PathEscape(agent.Slug) + "/targets"
	if found.JSON, err = at.Call(ctx, http.MethodGet, path, nil, &found.Value); err != nil || verb == "list" {
		return found, err
	}
	wanted := []string{}
	for _, t := range found.Value.Targets {
		if named := slices.Contains(names, t.Target); t.On && !named || named && verb == "to" {
			wanted = append(wanted, t.Target)
		}
	}
	found.Value = wire.TargetList{}
	found.JSON, err = at.Call(ctx, http.MethodPut, path, map[string]any{"targets": wanted}, &found.Value)
	return found, err
}

// writeTargets prints targets as a table with a header.
func writeTargets(to io.Writer, list wire.TargetList) error {
	rows := [][]string{{"TARGET", "STATE", "FILE", "BYTES"}}
	for _, t := range list.Targets {
		state, file, size := "off", t.File, ""
		if t.Path != nil {
			file = *t.Path
		}
		if t.On {
			state, size = "on", fmt.Sprint(t.Bytes)
		}
		switch {
		case t.Problem != nil:
			state = "problem"
		case t.SameAs != nil:
			state, size = "same as "+*t.SameAs, ""
		}
		rows = append(rows, []string{t.Target, state, terminal.Printable(file), size})
	}
	if err := terminal.WriteTable(to, rows); err != nil {
		return err
	}
	for _, t := range list.Targets {
		if t.Problem != nil {
			if _, err := fmt.Fprintln(to, terminal.Printable(*t.Problem)); err != nil {
				return err
			}
		}
	}
	return nil
}
