// Command claude stands in for the claude command line in tests. CLAUDE_PLAYS selects its behaviour.
// It writes its input to the file that CLAUDE_RECORD names.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const help = `Usage: claude [options]
  -p, --print  --output-format <format>  --tools <tools...>  --setting-sources <sources>  --settings <file-or-json>  --strict-mcp-config
  --no-session-persistence  --system-prompt <prompt>  --model <model>  --disable-slash-commands
`

func main() {
	plays := os.Getenv("CLAUDE_PLAYS")
	if slices.Contains(os.Args, "--help") {
		switch plays {
		case "ancient":
			fmt.Println("Usage: claude [options]\n  -p, --print  --output-format <format>")
		case "old", "old prose":
			fmt.Print(help)
		default:
			fmt.Print(help, "  --json-schema <schema>  --system-prompt-file <path>\n")
		}
		return
	}
	asked, _ := io.ReadAll(os.Stdin)
	record(string(asked))
	usage := `"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":7},"modelUsage":{"claude-sonnet-5":{}}`
	say := func(fields string) { fmt.Printf(`{"type":"result","subtype":"success",%s,%s}`, fields, usage) }
	switch plays {
	case "slow", "slow with a child":
		if plays != "slow" {
			child := exec.Command("sleep", "1000")
			child.Stdout = os.Stdout
			_ = child.Start()
			_ = os.WriteFile(os.Getenv("CLAUDE_RECORD")+".child", []byte(fmt.Sprint(child.Process.Pid)), 0o600)
		}
		time.Sleep(1000 * time.Second)
	case "prose":
		say(`"is_error":false,"result":"It is blue, I think."`)
	case "old":
		say(`"is_error":false,"result":"{\"word\":\"blue\"}\n"`)
	case "old prose":
		say(`"is_error":false,"result":"Here you are: {\"word\":\"blue\"}"`)
	case "another shape":
		fmt.Print(`{"answer":42}`)
	case "broken":
		fmt.Print(`{"type":"result","result":"{`)
	case "nothing":
	case "a flood":
		_, _ = io.Copy(os.Stdout, strings.NewReader(strings.Repeat("x", 10<<20)))
	case "exit":
		fmt.Fprintln(os.Stderr, strings.Repeat("a secret of the server ", 10_000))
		os.Exit(1)
	case "overloaded":
		say(`"is_error":true,"result":"API Error: 529 a secret of the server"`)
		os.Exit(1)
	case "signed out":
		say(`"is_error":true,"result":"Invalid API key · Please run /login"`)
		os.Exit(1)
	case "refusal":
		say(`"is_error":false,"result":"","stop_reason":"refusal"`)
	case "a list":
		fmt.Print(`[{"type":"system"},`)
		say(`"is_error":false,"result":"","structured_output":{"word":"blue"}`)
		fmt.Print("]\n")
	default:
		say(`"is_error":false,"result":"","structured_output":{"word":"blue"}`)
	}
}

func record(asked string) {
	dir, _ := os.Getwd()
	files, _ := os.ReadDir(dir)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	system := ""
	if i := slices.Index(os.Args, "--system-prompt-file"); i >= 0 {
		raw, _ := os.ReadFile(os.Args[i+1])
		system = string(raw)
	}
	raw, _ := json.Marshal(map[string]any{"args": os.Args[1:], "asked": asked, "dir": filepath.Clean(dir), "files": names, "system": system, "env": os.Environ()})
	_ = os.WriteFile(os.Getenv("CLAUDE_RECORD"), raw, 0o600)
}
