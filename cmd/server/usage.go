package main

import "memoir/internal/model"

var usage = `Memoir shows what your AI agents remember. Delete a memory, and it leaves every file and the
agent's CLAUDE.md.

Usage: memoir [flags]             start the server
       memoir COMMAND [flags]

Commands
  memory list|show|save|delete|share|recall
                            the memories of one agent
  review [list|show|decide|undo]
                            decide about the items of the review
  export FILE               write all memories with their history, Markdown, JSON or OKF
  import FILE|DIR           bring in an export, Markdown files, or the export of another program
  pull|push ssh://HOST      merge memories with another machine
  publish [list|to|stop]    publish an agent into AGENTS.md and files of other agents
  bench FILE...             measure recall on your own questions or LoCoMo
  token create|list|revoke  who may use the server besides you
  hooks print|install|uninstall
                            Memoir's hooks in the settings of Claude Code
  hook EVENT                send one hook event to the server
  version                   version, commit and date of this program
  backup [FILE]             save everything in one file, while the server runs
  restore FILE              put a backup back on an empty machine
  service install|uninstall|status
                            start the server when you log in
  doctor                    say what is wrong, and how to fix it
  help [COMMAND]            all flags of a command

Directories
  --agents-dir DIR          directory with one directory per agent (default /tmp/agents; empty: none)
  --claude-dir DIR          Claude Code's directory (default $CLAUDE_CONFIG_DIR, else ~/.claude; empty: none)
  --qwen-dir DIR            Qwen Code's directory (default $QWEN_RUNTIME_DIR, else $QWEN_HOME, else ~/.qwen; empty: none)
  --gemini-dir DIR          Gemini CLI's directory (default ~/.gemini; empty: none)
  --codex-dir DIR           Codex's directory, changed by notes (default $CODEX_HOME, else ~/.codex; empty: none)
  --openclaw-dir DIR        OpenClaw's directory, only read (default ~/.openclaw; empty: none)
  --letta-dir DIR           Letta Code's directory, only read (default ~/.letta; empty: none)
  --memory-dir SLUG=DIR     one more memory directory; repeatable
  --team-dir DIR            memory directory that all agents share (default shared-memory in --claude-dir,
                            created when it is first needed; empty: none)

Network and access
  --addr HOST:PORT          address to listen on (default 127.0.0.1:8080); needs a token unless it is loopback
  --token TOKEN             token for the API and the sign-in; at least 16 characters if other machines can reach
                            the server; MEMOIR_TOKEN keeps it out of the process list
  --read-token TOKEN        token for read-only access; same length
  --auth-header NAME        header in which a proxy names the signed-in user, such as X-Forwarded-User (see docs/TEAM.md)
  --auth-proxy ADDRESS      address or network of such a proxy, such as 10.0.0.0/8; repeatable
  --oidc-issuer URL         OpenID Connect provider at which people sign in (see docs/TEAM.md); needs --public-url
  --oidc-client-id ID       the client that the provider knows Memoir as
  --oidc-client-secret-file FILE
                            its secret, if it has one; or MEMOIR_OIDC_CLIENT_SECRET
  --oidc-claim NAME         claim that is the login of the person (default email, which must be verified)
  --allowed-host HOST       one more host name of the server, without port; repeatable
  --public-url URL          address of a proxy, such as https://memoir.example.org; no path
  --tls-cert FILE           certificate chain, PEM; read again when it changes (default: plain HTTP)
  --tls-key FILE            its private key, PEM

Storage
  --database-url URL        your own Postgres, version 15 or later; also DATABASE_URL (default: a private one)
  --data-dir DIR            the private Postgres (default $XDG_DATA_HOME/memoir, else ~/.local/share/memoir)

  --backup-dir DIR          make backups there without asking (default none)
  --backup-every DURATION   time between two backups (default 24h)
  --backup-keep N           number of backups that stay (default 7; 0: all)

Synchronisation
  --debounce DURATION       how long files must be quiet before they are read (default 200ms)
  --rescan DURATION         interval of the full scan (default 60s)
  --watch auto|poll         use change events, or check all files every second (default auto)
  --claude-md-limit CHARS   length of CLAUDE.md; memories beyond it become one line each (default 40000)
  --token-price DOLLARS     price of a million tokens; Context then shows what 1,000 conversations cost
  --age-notes               add the age to memories of two days and more in CLAUDE.md

Models
  --model NAME              chooses memories for recall, with ANTHROPIC_API_KEY (default ` + model.Default + `;
                            empty: keywords choose)
  --background-model NAME   does background work, over the API with ANTHROPIC_API_KEY, else by the claude
                            command line (default ` + model.Thorough + `; empty: none)
  --claude-command PROGRAM  the claude command line (default claude, if installed; empty: not used)
  --consolidate plan|auto|off
                            make consolidation plans; also apply a few steps; neither (default plan)
  --extract propose|auto|off
                            propose memories from conversations; save them without asking; neither (default propose)
  --extract-quiet DURATION  how long a session must be quiet before it is read (default 5m)
  --extract-daily-tokens N  tokens a day (UTC) for automatic reading of conversations
                            (default 500000; 0: no limit)
  --review-daily-tokens N   tokens a day (UTC) for judging pairs of memories and doubtful findings
                            (default 200000; 0: no limit)
  --asked-as model|off      have the background model write questions by which recall finds each memory (default model)
  --asked-as-daily-tokens N
                            tokens a day (UTC) for them (default 200000; 0: no limit)
  --review-off KIND,...     kinds that the review skips, such as junk,unchecked (repeatable)
  --embedding-url URL       base of an OpenAI-compatible API (Ollama, llama.cpp, vLLM), such as
                            http://127.0.0.1:11434; recall then also finds memories by meaning (default none)
  --embedding-model NAME    its model; MEMOIR_EMBEDDING_KEY is its key, if it needs one
  --embedding-daily-tokens N
                            tokens a day (UTC) for vectors of memories (default 20000000; 0: no limit)

Other
  --log-format text|json    on standard error (default text)
  --help                    print this text
  --version                 print the version

Each flag has a variable: --agents-dir is MEMOIR_AGENTS_DIR. A flag overrides its variable. Lists in variables are
separated by commas. The API is at ANTHROPIC_BASE_URL if that is set; ANTHROPIC_AUTH_TOKEN can replace the key.
Exit codes: 0 done, 1 failed, 2 wrong usage.
`
