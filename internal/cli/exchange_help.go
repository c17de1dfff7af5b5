package cli

const exportHelp = `Writes the memories of all agents to a file.

Usage: memoir export FILE [flags]

  FILE                      the file to write; - is standard output. For Markdown and OKF, a new directory or a .zip

  --format FORMAT           archive: everything with all history, as .tar.zst (default)
                            markdown: the memory files. jsonl: the API's JSON, one memory a line (default for .jsonl)
                            okf: a bundle of the Open Knowledge Format 0.2
  --agent SLUG              only this agent (repeatable)
  --secrets                 write secrets as they are; an archive always has them (default: masked)

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const importHelp = `Brings memories in. Without --apply, it lists what would change.

Usage: memoir import FILE|DIR [flags]

  FILE|DIR                  an archive or another export of Memoir; a directory, zip or tar file of Markdown files, such
                            as ~/.claude/projects or the notes of basic-memory; an OKF bundle; the JSON of mem0,
                            OpenMemory or claude-mem; - is standard input

  --apply                   make the changes
  --into SLUG               the agent that gets all memories (default: the agents of the same slugs)
  --map THERE=HERE          another slug here for an agent there (repeatable)
  --type TYPE               the type of memories without one (default: depends on the format)
  --json                    print the API's JSON, for scripts

Server
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

const peerHelp = `Merges memories with another machine, which has its own Memoir, over ssh. pull changes this machine,
push the other one. Deletions travel. What both have changed becomes a conflict in the review.

Usage: memoir pull|push ssh://[USER@]HOST[:PORT][?memoir=PATH&url=URL] [flags]

  memoir=PATH               the program on the other machine (default memoir)
  url=URL                   the address of the server there, as seen there

  --agent SLUG              only this agent of the sending machine (repeatable)
  --map THERE=HERE          another slug on the receiving machine (repeatable; default: the agent of the same Git
                            remote, else of the same slug)
  --dry-run                 list what would change
  --json                    print the API's JSON, for scripts

MEMOIR_SSH_COMMAND is run in place of ssh. The other machine runs memoir exchange send, or memoir exchange receive.

Server on this machine
  --url URL                 the server's address; also MEMOIR_URL (default: MEMOIR_ADDR, else http://127.0.0.1:8080)
  --token TOKEN             the server's token; MEMOIR_TOKEN keeps it out of the process list

Exit codes: 0 done, 1 failed, 2 wrong usage.
`
