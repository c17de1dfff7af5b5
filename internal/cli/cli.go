// Package cli is the memoir program's commands other than serving. The function commands lists them.
//
// It owns the names, flags, texts and exit codes of these commands. It is a client of a running
// server. Without a server on this machine, memory works on an agent's files directly. Package
// memories decides what a memory is. Only cmd/server calls it.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/cli/terminal"
	"memoir/internal/doctor"
)

// The exit codes of commands.
const (
	Done    = 0
	Failed  = 1
	Misused = 2 // wrong usage, nothing was done; hook exits with Failed instead
)

// World is the environment of a command.
type World struct {
	Env            func(name string) (value string, found bool) // like os.LookupEnv
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Addr is the address at which a server with the same environment listens.
	Addr string
	// OwnerToken returns the owner's token of such a server, or "". It may be nil.
	OwnerToken func() string
	// Places returns the settings with which such a server discovers agents. It is called only if a
	// command works on files.
	Places func() (agents.Settings, error)
	// StartSandbox runs a Memoir of its own, with its database, for the agents in dir/agents. It
	// keeps all its data below dir, and asks no model. It returns when all memories can be searched.
	StartSandbox func(ctx context.Context, dir string) (Sandbox, error)
	// Restore puts a backup back into the database and the agents' directories. No server runs.
	Restore func(ctx context.Context, r Restore) (Restored, error)
	// CheckServer returns an error for users if a server with these flags and variables would not start.
	CheckServer func(args []string, env func(name string) (value string, found bool)) error
	// MachineChecks checks what such a server would need of this machine.
	MachineChecks func(ctx context.Context) ([]doctor.Check, error)
	// Help is the program's own help text.
	Help string
}

// Sandbox is a running Memoir of a command. The caller must call Stop.
type Sandbox struct {
	URL, Token string
	Stop       func()
}

// command is one of the words that may follow the program's name. help is empty if the command has
// no help of its own.
type command struct {
	name string
	help string
	run  func(ctx context.Context, w *World, args []string) error
}

// commands returns all commands of the program except serving.
func commands() []command {
	return []command{
		{"hooks", hooksHelp, runHooks},
		{"hook", hookHelp, runHook},
		{"memory", memoryHelp(), runMemory},
		{"review", reviewHelp, runReview},
		{"export", exportHelp, runExport},
		{"import", importHelp, runImport},
		{"pull", peerHelp, runPull},
		{"push", peerHelp, runPush},
		{"exchange", peerHelp, runExchange},
		{"publish", publishHelp(), runPublish},
		{"bench", benchHelp, runBench},
		{"token", tokenHelp, runToken},
		{"version", versionHelp, runVersion},
		{"backup", backupHelp, runBackup},
		{"restore", restoreHelp, runRestore},
		{"service", serviceHelp, runService},
		{"doctor", doctorHelp, runDoctor},
		{"help", "", runHelp},
	}
}

// Run runs the command that args[0] names, with the other args. It returns Done after success or
// --help, Misused after a *usageError, and Failed after other errors. For the command hook it
// returns Failed in place of Misused. It prints the error on standard error. args must not be
// empty.
func Run(ctx context.Context, w World, args []string) (code int) {
	var wrong *usageError
	switch err := dispatch(ctx, &w, args); {
	case err == nil:
		return Done
	case errors.Is(err, errFound):
		return Failed // it was printed
	case errors.As(err, &wrong):
		help := strings.TrimSpace("memoir help " + wrong.command)
		fmt.Fprintf(w.Stderr, "memoir: %s (see %s)\n", terminal.PrintableText(err.Error()), help)
		if wrong.command == "hook" {
			return Failed // with 2, Claude Code would block the action
		}
		return Misused
	default:
		fmt.Fprintln(w.Stderr, "memoir:", terminal.PrintableText(err.Error()))
		return Failed
	}
}

// dispatch runs the command that args[0] names, with the other args, and returns its error. If that
// is errHelp, it prints the command's help and returns nil. It sets the command of a *usageError if
// that command has help. For an unknown command, it returns a *usageError without a command.
func dispatch(ctx context.Context, w *World, args []string) error {
	at := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	if at < 0 {
		return misused("unknown command %q", args[0])
	}
	c := commands()[at]
	err := c.run(ctx, w, args[1:])
	if errors.Is(err, errHelp) {
		io.WriteString(w.Stdout, c.help)
		return nil
	}
	var wrong *usageError
	if errors.As(err, &wrong) && c.help != "" {
		wrong.command = c.name
	}
	return err
}

// usageError means that the arguments of a command are wrong.
type usageError struct {
	command string // whose help the message names; empty for the program's help
	reason  string
}

func (e *usageError) Error() string { return e.reason }

// misused returns a *usageError with a formatted reason and an empty command.
func misused(format string, values ...any) error {
	return &usageError{reason: fmt.Sprintf(format, values...)}
}

// errHelp means that --help is among the flags.
var errHelp = errors.New("help is asked for")

// parse sets flags from args and returns the arguments that are not flags. Flags may follow words.
// All arguments after -- are words. It returns errHelp for --help or -h, and a *usageError for an
// unknown flag or a wrong value. flags may be set in part then.
func parse(flags *flag.FlagSet, args []string) (words []string, err error) {
	flags.SetOutput(io.Discard) // Run prints the error
	flags.Usage = func() {}
	for {
		switch err := flags.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, errHelp
		case err != nil:
			return nil, misused("%s", PlainFlagMessage(err))
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// PlainFlagMessage returns the text of an error of package flag for users: with two dashes before
// the flag, and plainer words. It returns the text of other errors unchanged.
func PlainFlagMessage(err error) string {
	return strings.NewReplacer(
		"flag provided but not defined: -", "unknown flag --",
		"flag needs an argument: -", "a value is missing after --",
		" for flag -", " for --",
	).Replace(err.Error())
}

// given reports whether the flag called name was among the arguments that flags has parsed.
func given(flags *flag.FlagSet, name string) (found bool) {
	flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// runHelp prints the help of the command that args[0] names, or without args the program's help, on
// standard output. It ignores further args. It returns a *usageError if the command is unknown or
// has no help of its own.
func runHelp(_ context.Context, w *World, args []string) error {
	if len(args) == 0 {
		io.WriteString(w.Stdout, w.Help)
		return nil
	}
	at := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] && c.help != "" })
	if at < 0 {
		return misused("no help about %q", strings.Join(args, " "))
	}
	io.WriteString(w.Stdout, commands()[at].help)
	return nil
}
