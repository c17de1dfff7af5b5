// Package cli is what the memoir program does besides serving: it looks after the memories of one agent from a terminal or a
// script (memory), puts Memoir's hooks into Claude Code's settings (hooks) and is one of them (hook).
//
// It owns the words, flags and texts of these commands, and the codes that they end with. It is a client: it asks a running
// server, and only where there is none on this machine it works on an agent's files itself. It decides nothing about a
// memory that internal/memories does not say. cmd/server calls it, and nothing else does.
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
)

// The codes that a command ends with.
const (
	Done    = 0
	Failed  = 1
	Misused = 2 // the command was not understood, and nothing was begun; hook ends with Failed instead
)

// World is what a command is given of the world around it.
type World struct {
	Env            func(name string) (value string, found bool) // as os.LookupEnv
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Addr is where a server listens that is started with the same environment.
	Addr string
	// OwnerToken returns the token that such a server keeps for its owner; empty if there is none. Nil
	// means that there is none.
	OwnerToken func() string
	// Places says where such a server would look for agents. It is asked only by who has to look there.
	Places func() (agents.Settings, error)
	// Help is what the program itself says about its flags and commands.
	Help string
}

// A command is one of the words that may follow the program's name.
type command struct {
	name string
	help string
	run  func(ctx context.Context, w *World, args []string) error
}

// commands returns them in the order in which help lists them. It is a function because help is one of them, and reads it.
func commands() []command {
	return []command{
		{"hooks", hooksHelp, runHooks},
		{"hook", hookHelp, runHook},
		{"memory", memoryHelp(), runMemory},
		{"help", "", runHelp},
	}
}

// Run carries out a command: args are the program's arguments, of which the first is the command's name. It returns the code
// to exit with, and has said on standard error what went wrong.
func Run(ctx context.Context, w World, args []string) (code int) {
	var wrong *usageError
	switch err := dispatch(ctx, &w, args); {
	case err == nil:
		return Done
	case errors.As(err, &wrong):
		fmt.Fprintf(w.Stderr, "memoir: %s (%s lists what there is)\n", printableText(err.Error()), wrong.helpCommand())
		if wrong.command == "hook" {
			return Failed // by 2 Claude Code is told to refuse what is about to happen
		}
		return Misused
	default:
		fmt.Fprintln(w.Stderr, "memoir:", printableText(err.Error()))
		return Failed
	}
}

func dispatch(ctx context.Context, w *World, args []string) error {
	name, rest := args[0], args[1:]
	for _, c := range commands() {
		if c.name == name {
			return named(c.name, c.run(ctx, w, rest))
		}
	}
	return &usageError{reason: fmt.Sprintf("there is no command %q", name)}
}

// usageError says what of a command was not understood.
type usageError struct {
	command string // whose help says more; empty: the program's
	reason  string
}

func (e *usageError) Error() string { return e.reason }

func (e *usageError) helpCommand() string { return strings.TrimSpace("memoir help " + e.command) }

// named completes a usage error with the command that it is about.
func named(command string, err error) error {
	var wrong *usageError
	if errors.As(err, &wrong) && wrong.command == "" && command != "help" {
		wrong.command = command
	}
	return err
}

func misused(format string, values ...any) error {
	return &usageError{reason: fmt.Sprintf(format, values...)}
}

// errHelp says that --help was among the flags.
var errHelp = errors.New("help is asked for")

// parse reads flags wherever they stand among the words of a command, and returns the words. What follows -- is words alone. It
// fails with errHelp or a *usageError.
func parse(flags *flag.FlagSet, args []string) (words []string, err error) {
	flags.SetOutput(io.Discard) // the error says it
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

// PlainFlagMessage takes from the flag package's errors what speaks its own language: Memoir's flags are written with two dashes.
func PlainFlagMessage(err error) string {
	return strings.NewReplacer(
		"flag provided but not defined: -", "there is no flag --",
		"flag needs an argument: -", "a value is missing after --",
		" for flag -", " for --",
	).Replace(err.Error())
}

// given reports whether a flag was among the arguments.
func given(flags *flag.FlagSet, name string) (found bool) {
	flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func runHelp(_ context.Context, w *World, args []string) error {
	if len(args) == 0 {
		io.WriteString(w.Stdout, w.Help)
		return nil
	}
	at := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] && c.help != "" })
	if at < 0 {
		return misused("there is no help about %q", strings.Join(args, " "))
	}
	io.WriteString(w.Stdout, commands()[at].help)
	return nil
}
