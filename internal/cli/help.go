package cli

import "strings"

const hooksHelp = `Memoir's hooks in Claude Code. A session starts with the newest memories, each prompt gets the memories
that fit it, and files that the agent writes are read at once.

Usage: memoir hooks print|install|uninstall [flags]

  print                     print the settings
  install                   add them to a settings file, in place of earlier ones; its other content stays
  uninstall                 remove them from a settings file

Settings file (install, uninstall)
  --user                    all projects: $CLAUDE_CONFIG_DIR/settings.json, else ~/.claude/settings.json (default)
  --project                 this project, shared: .claude/settings.json at the top of its working tree. The hooks run
                            the memoir in PATH, and do nothing on a machine without it; also for print
  --local                   this project, only you: .claude/settings.local.json
  --settings FILE           another file
  --dry-run                 show the change only

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080).
                            With --project only this flag is written, not the variables
  --token TOKEN             the server's token, to ask it; also MEMOIR_TOKEN. It is not written into the settings: set
                            MEMOIR_TOKEN where Claude Code runs
  --with-model[=false]      the server has a model for recall: Claude Code waits for a hook after each tool, because
                            the model's choice may come with it (default: the server is asked; false with --project)
  --agent SLUG              the agent (default: the agent of the conversation)
`

const hookHelp = `Sends one hook event to the server. It reads the event as JSON from standard input, and prints the text
for the session. Claude Code runs it.

Usage: memoir hook EVENT [flags]

  EVENT                     session-start, user-prompt-submit, post-tool-use, stop, pre-compact or session-end

  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list
  --agent SLUG              the agent (default: the agent of the conversation)
  --debug                   print the reason on standard error if there is no text

It waits at most 1.2 seconds for the server, and 0.5 for post-tool-use. On any failure it prints nothing and exits
with 0. It never exits with 2, because Claude Code would then block the action.
`

// memoryHelp returns the help of the command memory, with the names of all filter flags.
func memoryHelp() string {
	flags := "--" + strings.Join(filterFlags()[1:], ", --") // without --type, which has its own line
	half := strings.Index(flags[len(flags)/2:], ", ") + len(flags)/2 + 1
	return strings.Replace(memoryText, "FILTERS", flags[:half]+"\n "+flags[half:], 1)
}

const memoryText = `The memories of one agent, from a terminal or a script.

Usage: memoir memory list|show|save|delete|share|recall [flags]

  list                      all memories, newest first
  show NAME                 one memory
  save NAME                 save a new memory or change one; the body is --body, or standard input
  delete NAME               delete a memory without asking
  share NAME                move a memory to the directory for all agents; needs a server
  recall QUERY              the memories that fit a question or a task

  --type TYPE               list: only this type. save: feedback, user, project or reference; a new memory needs one
  FILTERS
                            list: the filters of the API's list, see docs/API.md; some need a server
  --description TEXT        save: one line about it
  --body TEXT               save: the text, in Markdown
  --asked-as QUESTION       save: a question that it answers, in other words, for recall (repeatable; needs a server)
  --limit N                 recall: maximum number (default 5)
  --json                    print the API's JSON, for scripts

Agent
  --agent SLUG              the agent (default: the agent of the working directory)
  --dir DIR                 use the files of an agent's directory or a memory directory, without a server

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

If no server answers on this machine, the agent's files are read and written directly, with a note on standard
error. There is no trash then: a deletion is permanent.

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const reviewHelp = `The review of all agents: secrets, contradictions, duplicates and more. In a terminal,
memoir review asks about one item after the other; each decision is one key.

Usage: memoir review [list|show|decide|undo] [flags]

  list                      all items, most urgent first; also the default without a terminal
  show ID                   one item with its texts; secrets are masked
  decide ID DECISION        decide about an item, such as keep_1, delete or snooze; show lists its decisions
  undo ID                   undo a decision

  --agent SLUG              list, and in a terminal: only this agent
  --kind KIND,KIND          list, and in a terminal: only these kinds, such as secret,expired
  --body-file FILE          decide merge: the merged text, saved under the first memory; - is standard input
  --days N                  decide snooze: ask again after so many days, 1 to 365 (default 30)
  --json                    print the API's JSON, for scripts

Keys
  1 2 3 4                   keep this side; of a secret 1 removes the value, after a question
  a b d f v w               accept, allow or keep; keep both; delete or refuse; fix; still true; write back
  z u n q                   snooze 30 days; undo the last decision; next item; quit

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const tokenHelp = `Tokens for people and programs, so that each has a name in the journal, and sees only some agents.

Usage: memoir token create NAME --scope SCOPE [flags]
       memoir token list [flags]
       memoir token revoke NAME [flags]

  --scope SCOPE             create: read; agent (also recall, saves and logs); write (also every other change);
                            admin (also tokens)
  --agents SLUG,SLUG        create: the agents that it sees; * stands for any characters (default *: all)
  --expires DURATION        create: such as 90d or 12h (default: never)
  --login LOGIN             create: no token, but the person with this name at the proxy or OpenID Connect provider
  --json                    print the API's JSON, for scripts

create prints the token on standard output. It is shown only once.

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token, or another with the scope admin; MEMOIR_TOKEN keeps it out of the
                            process list

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const benchHelp = `Measures recall: how often the right memories come first, and how often nothing comes where nothing
fits. Textbook BM25 over the same memories is in the next row.

Usage: memoir bench FILE... [flags]

  FILE                      your own questions, in YAML or JSON: see docs/RECALL.md. Or LoCoMo's locomo10.json

  --deliberate              ask without a session, as a script does (default: with a new session for each question,
                            as the hook of a prompt does; then recall is choosy)
  --misses FILE             write each question that went wrong, one JSON object a line
  --json                    print the figures as JSON, for scripts

Own questions ask the running server. It records nothing, and asks no model.
  --agent SLUG              the agent, if the file names none (default: the agent of the working directory)
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

LoCoMo is measured with a Memoir of its own, in a temporary directory, by words alone. It needs PostgreSQL, and takes
about a minute.
  --unit sessions|facts     only whole sessions as memories, or only single facts (default: one after the other)

Figures
  any@5, first hit          questions with an expected memory among the five given, or as the first one, in per cent
  share@5                   expected memories that were given, on average, in per cent
  given                     memories given to a question, on average
  precision                 expected ones of all given memories, in per cent
  silent                    questions that were given nothing, in per cent; right only where none fits

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const versionHelp = `Prints the version of this program, its commit and the commit's date. The version of a build that is no
release is devel.

Usage: memoir version [flags]

  --json                    print version, commit, date, modified, go and platform as JSON

Exit codes: 0 done, 1 failed, 2 wrong usage.
`
