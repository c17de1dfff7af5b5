package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"memoir/internal/agents"
	"memoir/internal/cli/remote"
	"memoir/internal/cli/terminal"
	"memoir/internal/diff"
	"memoir/internal/hooksettings"
)

// modelTimeout limits the question whether the server has a model. A server that works answers in
// milliseconds.
const modelTimeout = 2 * time.Second

// hooksCall is one run of hooks, with its flags.
type hooksCall struct {
	*World
	flags                *flag.FlagSet
	server               *remote.Server
	agent                string
	settings             string
	user, project, local bool
	dryRun               bool
	model                bool
}

func runHooks(ctx context.Context, w *World, args []string) error {
	c := &hooksCall{World: w, flags: flag.NewFlagSet("hooks", flag.ContinueOnError)}
	c.server = addressFlags(c.flags)
	c.flags.StringVar(&c.agent, "agent", "", "")
	c.flags.StringVar(&c.settings, "settings", "", "")
	c.flags.BoolVar(&c.user, "user", false, "")
	c.flags.BoolVar(&c.project, "project", false, "")
	c.flags.BoolVar(&c.local, "local", false, "")
	c.flags.BoolVar(&c.dryRun, "dry-run", false, "")
	c.flags.BoolVar(&c.model, "with-model", false, "")
	words, err := parse(c.flags, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return misused("hooks needs print, install or uninstall")
	}
	switch words[0] {
	case "print":
		return c.print(ctx)
	case "install":
		return c.install(ctx)
	case "uninstall":
		return c.uninstall()
	}
	return misused("unknown command hooks %q: use print, install or uninstall", words[0])
}

// hooks returns the hooks for the server and agent of the flags. They contain the path of this
// program, and the server's URL. With --project they contain no path, and a URL only if the flag
// --url gives it, because other machines have the file too. They contain no token. Model is not
// set. It returns a *usageError for a wrong URL.
func (c *hooksCall) hooks() (hooksettings.Hooks, remote.Server, error) {
	server, err := c.addressOf(c.server)
	if err != nil {
		return hooksettings.Hooks{}, remote.Server{}, err
	}
	hooks := hooksettings.Hooks{URL: server.URL, Former: server.URL, Agent: c.agent}
	if c.project {
		if c.server.URL == "" {
			hooks.URL = ""
		}
		return hooks, server, nil
	}
	hooks.Program, err = os.Executable()
	if err != nil {
		return hooksettings.Hooks{}, remote.Server{}, fmt.Errorf("path of this program unknown: %w", err)
	}
	return hooks, server, nil
}

// newHooks is hooks with Model, for settings to write. The flag --with-model decides about Model.
// Without it the server does, except with --project: a shared file does not depend on one server.
// If the server does not say, Model is false, and standard error gets a note with the reason.
func (c *hooksCall) newHooks(ctx context.Context) (hooksettings.Hooks, error) {
	hooks, server, err := c.hooks()
	if err != nil {
		return hooksettings.Hooks{}, err
	}
	if given(c.flags, "with-model") || c.project {
		hooks.Model = c.model
		return hooks, nil
	}
	if hooks.Model, err = hasModel(ctx, server); err != nil {
		fmt.Fprintf(c.Stderr, "memoir: these hooks assume a server without a model, because yours was not asked: %s. "+
			"If it has a model, repeat this while it runs, or use --with-model\n", terminal.PrintableText(err.Error()))
	}
	return hooks, nil
}

// hasModel asks the server whether a model chooses memories for recall. It returns an error for
// users if no Memoir answers within modelTimeout, or it refuses.
func hasModel(ctx context.Context, server remote.Server) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	var settings struct {
		Model bool `json:"model"`
	}
	_, err := server.CallPath(ctx, http.MethodGet, "/hooks/settings", nil, &settings)
	return settings.Model, err
}

// print prints the content of a settings file that has only the hooks. It returns a *usageError if
// --dry-run or a flag that selects another file than the project's is set.
func (c *hooksCall) print(ctx context.Context) error {
	if c.settings != "" || c.user || c.local || c.dryRun {
		return misused("hooks print writes to standard output, and takes no settings file")
	}
	hooks, err := c.newHooks(ctx)
	if err != nil {
		return err
	}
	text, err := hooks.Install(nil)
	if err != nil {
		return err
	}
	_, err = c.Stdout.Write(text)
	return err
}

// install adds the hooks to the selected settings file. If they run the memoir in PATH and there is
// none, standard error gets a note, because such hooks are silent.
func (c *hooksCall) install(ctx context.Context) error {
	hooks, err := c.newHooks(ctx)
	if err != nil {
		return err
	}
	err = c.change(hooks.Install, "Memoir's hooks are in %s. New sessions use them.\n")
	if err != nil || hooks.Program != "" {
		return err
	}
	if _, err := exec.LookPath("memoir"); err != nil {
		fmt.Fprintln(c.Stderr, "memoir: no memoir in PATH, so these hooks do nothing on this machine. Add it, for example as a link in ~/.local/bin")
	}
	return nil
}

func (c *hooksCall) uninstall() error {
	hooks, _, err := c.hooks()
	if err != nil {
		return err
	}
	return c.change(hooks.Uninstall, "Memoir's hooks are no longer in %s.\n")
}

// fileFlags returns, without dashes, the names of those flags among --settings, --user, --project
// and --local that are set.
func (c *hooksCall) fileFlags() (found []string) {
	for _, name := range []string{"settings", "user", "project", "local"} {
		if given(c.flags, name) {
			found = append(found, name)
		}
	}
	return found
}

// change replaces the content of the selected settings file by the result of edit, which gets nil
// for a missing file. Then it prints done, a format for the path. If nothing changes, it writes no
// file and prints that. With --dry-run, it only prints the difference. If edit returns an error,
// the file stays and the error is wrapped.
func (c *hooksCall) change(edit func([]byte) ([]byte, error), done string) error {
	at, err := c.settingsPath()
	if err != nil {
		return err
	}
	file, err := openSettings(at)
	if err != nil {
		return err
	}
	defer file.root.Close()
	after, err := edit(file.before)
	switch {
	case err != nil:
		return fmt.Errorf("%s was not changed: %w. Fix it, or paste the output of memoir hooks print", at, err)
	case !file.exists && len(after) == 0, file.exists && string(after) == string(file.before):
		fmt.Fprintf(c.Stdout, "Nothing to do in %s.\n", at)
		return nil
	case c.dryRun:
		return writeDiff(c.Stdout, at, string(file.before), string(after))
	}
	if err := file.write(after); err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, done, at)
	return nil
}

// settingsPath returns the absolute path of the settings file that the flags select, by default the
// user's. The file may be missing. It returns a *usageError if several flags are set. It returns an
// error if the default needs a home directory and HOME is empty.
func (c *hooksCall) settingsPath() (string, error) {
	if len(c.fileFlags()) > 1 {
		return "", misused("use only one of --user, --project, --local and --settings")
	}
	switch {
	case c.settings != "":
		return filepath.Abs(c.settings)
	case c.project:
		return inProject("settings.json")
	case c.local:
		return inProject("settings.local.json")
	}
	dir, _ := c.Env("CLAUDE_CONFIG_DIR")
	if dir == "" {
		home, _ := c.Env("HOME")
		if home == "" {
			return "", errors.New("no home directory found: name the file with --settings")
		}
		dir = filepath.Join(home, ".claude")
	}
	return filepath.Abs(filepath.Join(dir, "settings.json"))
}

// inProject returns the path of .claude/name at the top of the working directory's repository, or
// in the working directory if that is in no repository. The file may be missing.
func inProject(name string) (string, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working directory unknown: %w. Name the file with --settings", err)
	}
	project, err := agents.ProjectAt(cwd)
	return filepath.Join(project.Tree, ".claude", name), err
}

// maxDiff is the number of lines of a difference that are shown. Arbitrary.
const maxDiff = 10_000

// writeDiff prints the lines that differ between two versions of a file, and some lines around
// them. It prints about maxDiff lines, and then the number of the other changed lines. It replaces
// control characters by U+FFFD.
func writeDiff(to io.Writer, path, before, after string) error {
	if _, err := fmt.Fprintf(to, "--- %s\n+++ %s\n", path, path); err != nil {
		return err
	}
	signs := map[diff.Kind]string{diff.Same: " ", diff.Removed: "-", diff.Added: "+"}
	d := diff.Texts(before, after, maxDiff)
	for _, hunk := range d.Hunks {
		if hunk.Above > 0 {
			fmt.Fprintf(to, "@@ %d unchanged lines @@\n", hunk.Above)
		}
		for _, line := range hunk.Lines {
			text := ""
			for _, piece := range line.Pieces {
				text += piece.Text
				if piece.LeftOut > 0 {
					text += "…"
				}
			}
			fmt.Fprintln(to, signs[line.Kind]+terminal.PrintableText(text))
		}
	}
	if d.LeftOut > 0 {
		fmt.Fprintf(to, "@@ %d more changed lines @@\n", d.LeftOut)
	}
	return nil
}
