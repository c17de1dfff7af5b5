package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"memoir/internal/cli/terminal"
	"memoir/internal/service"
)

const serviceHelp = `Starts the server when you log in: with systemd on Linux, with launchd on macOS. It needs no root.

Usage: memoir service install [--print] [-- [NAME=VALUE...] [flags of the server]]
       memoir service uninstall|status

  install                   write the definition, and start the server; again with other flags to change it
  uninstall                 stop the server, and remove the definition; memories and the database stay
  status                    show whether it is installed and runs; exit code 1 if not

  --print                   print the definition, and change nothing
  --root                    also as root, for root's own agents

The flags are checked before anything is written. Variables, such as MEMOIR_TOKEN=..., are written into the definition,
which only you can read. PATH is taken over, because a service has a short one. Example:

  memoir service install -- --agents-dir ~/agents --backup-dir ~/backups

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

// serviceCall is one run of service, with its flags.
type serviceCall struct {
	*World
	print, root bool
	manager     manager
}

// manager is the program that starts services on this system.
type manager struct {
	name   string // systemd or launchd
	file   string // absolute path of the definition
	define func(service.Spec) string
}

// runService installs, removes or shows the service that starts the server at login.
func runService(ctx context.Context, w *World, args []string) error {
	var server []string
	for i, arg := range args {
		if arg == "--" {
			args, server = args[:i], args[i+1:]
			break
		}
	}
	c := &serviceCall{World: w}
	flags := flag.NewFlagSet("service", flag.ContinueOnError)
	flags.BoolVar(&c.print, "print", false, "")
	flags.BoolVar(&c.root, "root", false, "")
	words, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return misused("service takes install, uninstall or status; flags of the server come after --")
	case words[0] != "install" && (c.print || len(server) > 0):
		return misused("service %s takes neither --print nor flags of the server", words[0])
	}
	if c.manager, err = c.managerOf(runtime.GOOS); err != nil {
		return err
	}
	switch words[0] {
	case "install":
		return c.install(ctx, server)
	case "uninstall":
		return c.uninstall(ctx)
	case "status":
		return c.status(ctx)
	}
	return misused("unknown command service %q: use install, uninstall or status", words[0])
}

// managerOf returns the manager of services of an operating system.
func (c *serviceCall) managerOf(system string) (manager, error) {
	home, _ := c.Env("HOME")
	if home == "" {
		return manager{}, errors.New("no home directory found: set HOME")
	}
	switch system {
	case "linux":
		dir, _ := c.Env("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(home, ".config")
		}
		return manager{"systemd", filepath.Join(dir, "systemd", "user", service.UnitName), service.Unit}, nil
	case "darwin":
		return manager{"launchd", filepath.Join(home, "Library", "LaunchAgents", service.Label+".plist"), service.Plist}, nil
	}
	return manager{}, errors.New("services are installed with systemd and launchd only: start memoir at login in your system's own way")
}

// variable matches an argument that sets a variable.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)

// spec returns the server to start: this program with args, which are variables and then flags. It
// fails if the server would not start with them.
func (c *serviceCall) spec(args []string) (service.Spec, error) {
	program, err := os.Executable()
	if err != nil {
		return service.Spec{}, fmt.Errorf("path of memoir unknown: %w", err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return service.Spec{}, fmt.Errorf("path of memoir unknown: %w", err)
	}
	if strings.Contains(program, "/go-build") {
		return service.Spec{}, fmt.Errorf("%s is a temporary file. Build memoir and run the built program", program)
	}
	home, _ := c.Env("HOME")
	s := service.Spec{Program: program, Log: filepath.Join(home, "Library", "Logs", "memoir.log")}
	// A service gets a short PATH, in which neither claude nor a Postgres from elsewhere may be.
	if path, _ := c.Env("PATH"); path != "" {
		s.Environment = append(s.Environment, service.Variable{Name: "PATH", Value: path})
	}
	for len(args) > 0 && variable.MatchString(args[0]) {
		name, value, _ := strings.Cut(args[0], "=")
		s.Environment, args = append(s.Environment, service.Variable{Name: name, Value: value}), args[1:]
	}
	s.Args = args
	env := func(name string) (value string, found bool) {
		for _, v := range s.Environment {
			if v.Name == name {
				value, found = v.Value, true
			}
		}
		if !found && name == "HOME" {
			return home, home != ""
		}
		return value, found
	}
	if err := c.CheckServer(args, env); err != nil {
		return service.Spec{}, misused("the server would not start: %s", err)
	}
	return s, nil
}

func (c *serviceCall) install(ctx context.Context, args []string) error {
	spec, err := c.spec(args)
	if err != nil {
		return err
	}
	text := c.manager.define(spec)
	if c.print {
		_, err := fmt.Fprint(c.Stdout, text)
		return err
	}
	if err := c.checkUser(); err != nil {
		return err
	}
	if err := c.manager.checkProgram(); err != nil {
		return fmt.Errorf("%w. Start this at login in another way: %s", err, strings.Join(append([]string{spec.Program}, spec.Args...), " "))
	}
	if err := c.checkOurs(); err != nil {
		return err
	}
	if c.manager.name == "systemd" {
		if err := c.run(ctx, "--user", "show-environment"); err != nil {
			return fmt.Errorf("nothing was installed: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(c.manager.file), 0o755); err != nil { //nolint:gosec // as systemd makes it
		return err
	}
	if c.manager.name == "launchd" {
		if err := os.MkdirAll(filepath.Dir(spec.Log), 0o700); err != nil {
			return err
		}
	}
	// It may have a token.
	write := func(file io.Writer) error {
		_, err := io.WriteString(file, text)
		return err
	}
	if err := replaceFile(c.manager.file, write); err != nil {
		return err
	}
	if err := c.start(ctx); err != nil {
		return fmt.Errorf("%s was written, and the service was not started: %w", c.manager.file, err)
	}
	fmt.Fprintf(c.Stdout, "Memoir starts when you log in, and was started now. Its definition is %s.\n", c.manager.file)
	if c.manager.name == "systemd" {
		fmt.Fprintln(c.Stdout, "Its log: journalctl --user -u memoir")
		if isLingering(ctx) == "no" {
			fmt.Fprintln(c.Stdout, "It stops when you log out. To start it at boot and keep it running: loginctl enable-linger")
		}
	} else {
		fmt.Fprintf(c.Stdout, "Its log: %s\n", spec.Log)
	}
	return nil
}

// replaceFile replaces a file, or creates it, so that only its user can read it. write gives the bytes.
// If it fails, the path stays as it was.
func replaceFile(at string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(at), ".memoir-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it has its own name, or failed
	err = write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), at)
}

// checkUser refuses root, whose service would serve root's own memories.
func (c *serviceCall) checkUser() error {
	if os.Geteuid() == 0 && !c.root {
		return errors.New("this would install a service for root. Run it as the user whose agents Memoir serves, without sudo; " +
			"for root's own agents add --root; for a service of the whole system see docs/DEPLOY.md")
	}
	return nil
}

// checkProgram returns an error for users if the manager is not installed.
func (m manager) checkProgram() error {
	if _, err := exec.LookPath(m.program()); err != nil {
		return fmt.Errorf("this system has no %s", m.name)
	}
	return nil
}

func (m manager) program() string {
	if m.name == "launchd" {
		return "launchctl"
	}
	return "systemctl"
}

// checkOurs returns an error for users if another program made the definition.
func (c *serviceCall) checkOurs() error {
	raw, err := os.ReadFile(c.manager.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !service.IsOurs(string(raw)):
		return fmt.Errorf("%s was not made by this command, and was not changed. Move it away first", c.manager.file)
	}
	return nil
}

// start loads the definition and starts the service, or restarts it.
func (c *serviceCall) start(ctx context.Context) error {
	if c.manager.name == "launchd" {
		_ = c.run(ctx, "bootout", domain()+"/"+service.Label) // it may not be loaded
		return c.run(ctx, "bootstrap", domain(), c.manager.file)
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", service.UnitName}, {"restart", service.UnitName}} {
		if err := c.run(ctx, append([]string{"--user"}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// domain is the domain of the user's services in launchd.
func domain() string { return "gui/" + strconv.Itoa(os.Getuid()) }

func (c *serviceCall) uninstall(ctx context.Context) error {
	if err := c.checkUser(); err != nil {
		return err
	}
	if _, err := os.Stat(c.manager.file); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(c.Stdout, "Nothing to do: %s does not exist.\n", c.manager.file)
		return nil
	}
	if err := c.checkOurs(); err != nil {
		return err
	}
	var stopped error
	if c.manager.name == "launchd" {
		stopped = c.run(ctx, "bootout", domain()+"/"+service.Label)
	} else {
		stopped = c.run(ctx, "--user", "disable", "--now", service.UnitName)
	}
	if err := os.Remove(c.manager.file); err != nil {
		return err
	}
	if c.manager.name == "systemd" && stopped == nil {
		stopped = c.run(ctx, "--user", "daemon-reload")
	}
	if stopped != nil {
		return fmt.Errorf("%s was removed, and the service may still run: %w", c.manager.file, stopped)
	}
	fmt.Fprintln(c.Stdout, "Memoir no longer starts when you log in, and was stopped. All memories, settings and the database stay.")
	return nil
}

func (c *serviceCall) status(ctx context.Context) error {
	if _, err := os.Stat(c.manager.file); errors.Is(err, fs.ErrNotExist) {
		return errors.New("not installed: use memoir service install")
	}
	fmt.Fprintf(c.Stdout, "definition: %s\n", c.manager.file)
	if c.manager.name == "launchd" {
		if err := c.run(ctx, "print", domain()+"/"+service.Label); err != nil {
			return fmt.Errorf("installed and not loaded: %w", err)
		}
		fmt.Fprintln(c.Stdout, "service: loaded")
		return nil
	}
	enabled, _ := c.output(ctx, "--user", "is-enabled", service.UnitName)
	active, err := c.output(ctx, "--user", "is-active", service.UnitName)
	fmt.Fprintf(c.Stdout, "at login: %s\nnow: %s\n", enabled, active)
	if lingers := isLingering(ctx); lingers != "" {
		fmt.Fprintf(c.Stdout, "at boot and after logout: %s\n", lingers)
	}
	if active != "active" {
		if active == "" && err != nil {
			return err
		}
		return errors.New("the service does not run. Its log: journalctl --user -u memoir")
	}
	return nil
}

// managerTimeout limits a call of systemctl or launchctl. Arbitrary: longer than a stop of the server.
const managerTimeout = 30 * time.Second

// run runs the manager's program. The error has what that said.
func (c *serviceCall) run(ctx context.Context, args ...string) error {
	_, err := c.output(ctx, args...)
	return err
}

// output is run, and returns what the program wrote on standard output.
func (c *serviceCall) output(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, managerTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, c.manager.program(), args...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		said := strings.TrimSpace(complaint.String())
		if strings.Contains(said, "connect to") && strings.Contains(said, "bus") {
			said += ". Your login has no systemd of its own, as after su or sudo: log in directly, or run loginctl enable-linger first"
		}
		err = fmt.Errorf("%s %s: %w: %s", c.manager.program(), strings.Join(args, " "), err, terminal.PrintableText(said))
	}
	return strings.TrimSpace(string(out)), err
}

// isLingering returns yes or no: whether the user's services run without a login. It returns "" if
// that is unknown.
func isLingering(ctx context.Context) string {
	me, err := user.Current()
	if err != nil {
		return ""
	}
	out, err := exec.CommandContext(ctx, "loginctl", "show-user", me.Username, "--property=Linger", "--value").Output()
	if err != nil {
		// loginctl knows no user without a session.
		if _, err := os.Stat(filepath.Join("/var/lib/systemd/linger", me.Username)); err == nil {
			return "yes"
		}
		return ""
	}
	return strings.TrimSpace(string(out))
}
