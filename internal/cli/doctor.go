package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/doctor"
	"memoir/internal/hooksettings"
	"memoir/internal/version"
)

const doctorHelp = `Says what is wrong with this Memoir, and how to fix it: the server, its database, disk and directories, scans,
models, backups, and Claude Code's hooks. It changes nothing.

Usage: memoir doctor [flags]

  --json                    print the checks as JSON, for scripts
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Without a server it checks what one would need that is started with the same environment and no flags.

Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.
`

// errFound means that a check found a problem. It was printed.
var errFound = errors.New("something is wrong")

// runDoctor prints all checks. It returns errFound if one has found a problem.
func runDoctor(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	at := addressFlags(flags)
	var asJSON bool
	flags.BoolVar(&asJSON, "json", false, "")
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return misused("doctor takes no words, such as %q", words[0])
	}
	server, err := w.addressOf(at)
	if err != nil {
		return err
	}
	checks := append(w.serverChecks(ctx, server), w.claudeChecks(server.URL)...)
	if asJSON {
		text, err := json.MarshalIndent(map[string]any{"ok": !doctor.HasProblem(checks), "checks": checks}, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(w.Stdout, "%s\n", text)
	} else {
		w.printChecks(checks)
	}
	if doctor.HasProblem(checks) {
		return errFound
	}
	return nil
}

// printChecks prints one line a check, and one for its fix.
func (w *World) printChecks(checks []doctor.Check) {
	signs := map[doctor.State]string{doctor.OK: "ok      ", doctor.Note: "note    ", doctor.Problem: "PROBLEM "}
	problems := 0
	for _, c := range checks {
		fmt.Fprintf(w.Stdout, "%s %s: %s\n", signs[c.State], terminal.PrintableText(c.Check), terminal.PrintableText(c.Text))
		if c.Fix != "" {
			fmt.Fprintf(w.Stdout, "           %s\n", terminal.PrintableText(c.Fix))
		}
		if c.State == doctor.Problem {
			problems++
		}
	}
	if problems == 0 {
		fmt.Fprintln(w.Stdout, "\nNothing is wrong.")
		return
	}
	fmt.Fprintf(w.Stdout, "\n%s.\n", countOf(int64(problems), "problem", "problems"))
}

// serverChecks asks the server for its checks. Without one on this machine, it checks the machine.
func (w *World) serverChecks(ctx context.Context, server remote.Server) []doctor.Check {
	var found struct {
		Version, Commit string
		Checks          []doctor.Check
	}
	_, err := server.Call(ctx, http.MethodGet, "/doctor", nil, &found)
	var absent *remote.AbsentError
	switch {
	case errors.As(err, &absent):
		checks := []doctor.Check{{Check: "server", State: doctor.Problem, Text: err.Error() + ".", Fix: "Start it: memoir, or memoir service install. For another address set --url or MEMOIR_URL."}}
		if !server.IsLocal() {
			return checks
		}
		more, err := w.MachineChecks(ctx)
		if err != nil {
			more = []doctor.Check{{Check: "settings", State: doctor.Problem, Text: err.Error() + ".", Fix: "Change the variable."}}
		}
		return append(checks, more...)
	case err != nil:
		return []doctor.Check{{Check: "server", State: doctor.Problem, Text: err.Error() + ".", Fix: "Check the address and the token, and that the server has the version of this command."}}
	}
	checks := []doctor.Check{{Check: "server", State: doctor.OK, Text: "answers at " + server.URL}}
	mine := version.Current()
	if found.Version != mine.Version || found.Commit != mine.Commit {
		checks = append(checks, doctor.Check{
			Check: "version", State: doctor.Problem, Fix: "Restart the server with this program, or update this one.",
			Text: fmt.Sprintf("The server is %s, and this command is %s.", buildText(found.Version, found.Commit), buildText(mine.Version, mine.Commit)),
		})
	} else {
		checks = append(checks, doctor.Check{Check: "version", State: doctor.OK, Text: buildText(mine.Version, mine.Commit)})
	}
	return append(checks, found.Checks...)
}

func buildText(version, commit string) string {
	if commit == "" {
		return version
	}
	return version + " (" + commit[:min(len(commit), 12)] + ")"
}

// claudeChecks checks whether Claude Code of this user calls Memoir. It returns nothing for a user
// without Claude Code.
func (w *World) claudeChecks(url string) []doctor.Check {
	dir, _ := w.Env("CLAUDE_CONFIG_DIR")
	home, _ := w.Env("HOME")
	config := filepath.Join(dir, ".claude.json")
	if dir == "" {
		dir, config = filepath.Join(home, ".claude"), filepath.Join(home, ".claude.json")
	}
	if !isDirectory(dir) {
		return nil
	}
	return append(hookChecks(filepath.Join(dir, "settings.json")), mcpCheck(config, url))
}

// hookChecks checks Memoir's hooks in the user's settings file.
func hookChecks(at string) []doctor.Check {
	c := doctor.Check{Check: "hooks", State: doctor.Note, Text: "Memoir's hooks are not in " + at + ".", Fix: "memoir hooks install, unless a project or the plugin has them"}
	raw, err := os.ReadFile(at)
	if errors.Is(err, os.ErrNotExist) {
		return []doctor.Check{c}
	}
	if err != nil {
		return []doctor.Check{{Check: "hooks", State: doctor.Problem, Text: err.Error() + ".", Fix: "Make the file readable."}}
	}
	programs, off, err := hooksettings.Programs(raw)
	switch {
	case err != nil:
		return []doctor.Check{{Check: "hooks", State: doctor.Problem, Text: at + ": " + err.Error() + ".", Fix: "Fix the file; Claude Code ignores it too."}}
	case len(programs) == 0:
		return []doctor.Check{c}
	case off:
		return []doctor.Check{{Check: "hooks", State: doctor.Problem, Text: at + " switches all hooks off.", Fix: "Remove disableAllHooks."}}
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return []doctor.Check{{Check: "hooks", State: doctor.Problem, Text: "The hooks run " + program + ", which does not exist or cannot be run.", Fix: "memoir hooks install"}}
		}
	}
	return []doctor.Check{{Check: "hooks", State: doctor.OK, Text: "run " + strings.Join(programs, ", ")}}
}

// mcpCheck checks whether the MCP server of the Memoir at url is among those of all projects, or of
// one.
func mcpCheck(at, url string) doctor.Check {
	c := doctor.Check{Check: "MCP", State: doctor.Note, Text: "Memoir is not among the MCP servers in " + at + ".", Fix: "See docs/MCP.md, if agents are to ask Memoir themselves."}
	raw, err := os.ReadFile(at)
	if err != nil {
		return c
	}
	type servers map[string]struct{ URL string }
	var config struct {
		MCPServers servers `json:"mcpServers"`
		Projects   map[string]struct {
			MCPServers servers `json:"mcpServers"`
		} `json:"projects"`
	}
	if raw, err = hujson.Standardize(raw); err != nil || json.Unmarshal(raw, &config) != nil {
		return doctor.Check{Check: "MCP", State: doctor.Problem, Text: at + " cannot be read as JSON.", Fix: "Fix the file."}
	}
	all := []servers{config.MCPServers}
	for _, project := range config.Projects {
		all = append(all, project.MCPServers)
	}
	for _, some := range all {
		for name, server := range some {
			path, _, _ := strings.Cut(server.URL, "?")
			if name == "memoir" || path == url+"/mcp" {
				return doctor.Check{Check: "MCP", State: doctor.OK, Text: name + " at " + path}
			}
		}
	}
	return c
}
