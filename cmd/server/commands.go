package main

import (
	"os"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/cli"
)

// isCommand reports whether the program is asked for something else than to serve.
func isCommand(args []string) bool { return len(args) > 0 && !strings.HasPrefix(args[0], "-") }

// world is what a command is given: what is around this process, and what a server would do that is started in its place.
func world() cli.World {
	c := defaults(os.LookupEnv)
	if addr := os.Getenv("MEMOIR_ADDR"); addr != "" {
		c.addr = addr
	}
	return cli.World{
		Env: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Addr: c.addr, OwnerToken: ownerTokenFromEnvironment, Places: placesFromEnvironment, Help: usage,
	}
}

// placesFromEnvironment says where a server that is started without flags looks for agents.
func placesFromEnvironment() (agents.Settings, error) {
	c := defaults(os.LookupEnv)
	if err := setFromEnvironment(c.flagSet(), os.LookupEnv); err != nil {
		return agents.Settings{}, err
	}
	if err := c.makePathsAbsolute(os.LookupEnv); err != nil {
		return agents.Settings{}, err
	}
	return placesOf(*c), nil
}
