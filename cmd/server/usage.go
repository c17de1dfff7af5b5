package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"memoir/internal/model"
)

var usage = `Memoir shows what your AI agents remember, makes deleting a stale memory safe and final,
and keeps what they learned in their CLAUDE.md.

Usage: memoir [flags]
       memoir COMMAND [flags]

Commands
  hooks print|install|uninstall
                            Memoir's hooks in the settings of Claude Code
  hook EVENT                one call of a hook
  memory list|show|save|delete|recall
                            the memories of one agent
  help [COMMAND]            what a command takes

Which memories
  --agents-dir DIR          agents, one directory each (default /tmp/agents; empty: none)
  --claude-dir DIR          Claude Code's directory (default $CLAUDE_CONFIG_DIR, else ~/.claude; empty: none)
  --memory-dir SLUG=DIR     one more directory of memories, by hand; repeatable
  --team-dir DIR            one directory of memories that all agents share (default none)

Where it listens, and who may come in
  --addr HOST:PORT          (default 127.0.0.1:8080) anything but loopback needs a token
  --token TOKEN             what callers and browsers must know, 16 characters or more if other machines can reach
                            the server; MEMOIR_TOKEN keeps it out of the process list
  --read-token TOKEN        what those must know instead who may only read; MEMOIR_READ_TOKEN
  --allowed-host HOST       one more name it is reached by, without the port; repeatable
  --public-url URL          the address of a proxy in front of it, such as https://memoir.example.org; no path
  --tls-cert FILE           certificate chain, PEM; read again when it changes (default: plain HTTP)
  --tls-key FILE            its private key, PEM

Where it keeps things
  --database-url URL        a Postgres of your own, 15 or later; also DATABASE_URL (default: a private one)
  --data-dir DIR            where the private one lives (default $XDG_DATA_HOME/memoir, else ~/.local/share/memoir)

How it works
  --debounce DURATION       how long files must be quiet before they are read (default 200ms)
  --rescan DURATION         how often everything is looked at anyway (default 60s)
  --watch auto|poll         whether the system says what changes, or everything is looked at each second (default auto)
  --claude-md-limit CHARS   length of CLAUDE.md past which memories become one line each (default 40000)
  --model NAME              which model chooses what an agent is reminded of, where ANTHROPIC_API_KEY is set; ANTHROPIC_BASE_URL
                            says where it is (default ` + model.Default + `; empty: the words choose)
  --consolidate off|plan|auto
                            whether plans are made to tidy memories up, and a few of their steps applied by themselves (default plan)
  --background-model NAME   which model does what nobody waits for, over the API where there is a key, else by the claude command
                            line (default ` + model.Thorough + `; empty: none)
  --claude-command PROGRAM  the claude command line (default claude, if it is installed; empty: it is not asked)
  --extract off|propose|auto whether conversations are read for what an agent should have remembered: not; to be accepted or
                            refused by a person; or written without asking (default propose; it takes a model)
  --extract-quiet DURATION  how long a session must be silent before it is read (default 5m)
  --age-notes               memories of two days and more say so in CLAUDE.md
  --log-format text|json    (default text)

  --help, --version

Each flag is also a variable: --agents-dir is MEMOIR_AGENTS_DIR. The flag wins. Lists in variables are separated by commas.
Exit codes: 0 done, 1 failed, 2 not understood.
`

func writeUsage(out io.Writer) {
	io.WriteString(out, usage)
}

func writeVersion(out io.Writer) { fmt.Fprintln(out, "memoir", version()) }

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
