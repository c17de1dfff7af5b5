package cli

const hooksHelp = `Memoir's hooks in Claude Code: with them a session starts with what was learned, prompts come with
the memories that help with them, and what an agent writes is taken in at once.

Usage: memoir hooks print|install|uninstall [flags]

  print                     write the settings to paste
  install                   put them into a settings file; all else in it stays as it is
  uninstall                 take them out of a settings file, and nothing else

Which settings file (install, uninstall)
  --user                    the user's: $CLAUDE_CONFIG_DIR/settings.json, else ~/.claude/settings.json (the default)
  --project                 the project's, which is shared: .claude/settings.json at the top of its working tree
  --local                   the project's, of this machine alone: .claude/settings.local.json
  --settings FILE           another one
  --dry-run                 show what would change, and change nothing

Which Memoir
  --url URL                 the server's address; also MEMOIR_URL (default: where a server listens, http://127.0.0.1:8080)
  --token TOKEN             the server wants a token; also MEMOIR_TOKEN. The settings name the variable, never the token:
                            set MEMOIR_TOKEN where Claude Code runs
  --agent SLUG              whose memory it is (default: that of the project that is worked on)
`

const hookHelp = `One call of a hook, as Claude Code makes it: reads the event as JSON from standard input, tells it to the
server, and writes what the session is to be told.

Usage: memoir hook EVENT [flags]

  EVENT                     session-start, user-prompt-submit, post-tool-use, stop, pre-compact or session-end

  --url URL                 the server's address; also MEMOIR_URL (default: where a server listens, http://127.0.0.1:8080)
  --token TOKEN             what the server wants to know; MEMOIR_TOKEN keeps it out of the process list
  --agent SLUG              whose memory it is (default: that of the project that is worked on)
  --debug                   say on standard error why nothing was written

It ends within a second. Whatever is down or slow, it writes nothing and exits with 0: the agent goes on without. It never
exits with 2, which would have Claude Code refuse what the agent or its user is about to do.
`

const memoryHelp = `The memories of one agent, from a terminal or a script.

Usage: memoir memory list|show|save|delete|recall [flags]

  list                      every memory, newest first
  show NAME                 one memory
  save NAME                 a new memory, or a new content of one; its body comes from --body, or from standard input
  delete NAME               without asking
  recall QUERY              the few memories that help with a question or a task

  --type TYPE               list: of this type alone. save: feedback, user, project or reference; a new memory needs one
  --description TEXT        save: one line about it
  --body TEXT               save: what it says, in Markdown
  --limit N                 recall: at most so many (default 5)
  --json                    write what the API answers, for scripts

Whose memories
  --agent SLUG              the agent (default: the one that the working directory belongs to)
  --dir DIR                 without a server, on an agent's directory or a memory directory

Which Memoir
  --url URL                 the server's address; also MEMOIR_URL (default: where a server listens, http://127.0.0.1:8080)
  --token TOKEN             what the server wants to know; MEMOIR_TOKEN keeps it out of the process list

Where no server answers on this machine, the files of the agent are read and written themselves, and standard error says so.
Then there is no trash: what is deleted is gone.

Exit codes: 0 done, 1 failed, 2 not understood.
`
