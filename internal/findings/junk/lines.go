package junk

import "strings"

// prefixes holds prefixes by their first byte.
type prefixes map[byte][]string

func byFirst(list ...string) prefixes {
	result := prefixes{}
	for _, prefix := range list {
		result[prefix[0]] = append(result[prefix[0]], prefix)
	}
	return result
}

// start reports whether a line starts with one of the prefixes.
func (p prefixes) start(line string) bool {
	if line == "" {
		return false
	}
	for _, prefix := range p[line[0]] {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// isLog reports whether a line is output of a program: a log, a stack trace, a listing, the report
// of a build or a test.
func isLog(line, trimmed string) bool {
	if strings.Contains(trimmed, "→") || len(trimmed) > 2000 {
		return false
	}
	if logPrefixes.start(trimmed) {
		return true
	}
	for _, part := range logParts {
		if strings.Contains(trimmed, part) {
			return true
		}
	}
	return isStamped(trimmed) || isFrame(line, trimmed) || isPosition(trimmed) || isListing(trimmed)
}

var logPrefixes = byFirst(
	"[+] Building ", "panic:", "goroutine ", "Traceback (most recent", "Exception in thread", "Caused by:", "npm ERR!", "npm error", "npm warn", "ELIFECYCLE", "✓ ", "✔ ", "✗ ", "✖ ", "× ", "PASS\t", "FAIL\t", "ok  \t", "--- FAIL", "--- PASS", "=== RUN",
	"[signal ", "vite v", "On branch ", "Your branch is ", "Changes not staged", "Changes to be committed", "Untracked files", "nothing to commit", "diff --git", "@@ ", "+++ ", "--- a/", "Finished `", "Test Suites:", "Ran all test",
	"found 0 vulnerabilities", "Requirement already", "error[", "warning[", "TypeError:", "ReferenceError:", "SyntaxError:", "ValueError:", "KeyError:", "AttributeError:", "ImportError:", "ModuleNotFoundError", "NullPointerException", "java.lang.", "fatal: ", "fatal error:", "Segmentation fault",
	"INFO:", "WARNING:", "ERROR:", "DEBUG:", "[INFO]", "[WARN]", "[ERROR]", "[DEBUG]", "#1 [", "Removing intermediate", "---> ", "> Task :", "====", "To github.com", "To git@", "Already up to date", "Enumerating objects", "Counting objects", "Writing objects",
)

// weakPrefixes start lines of output, and also sentences. They count next to other output.
var weakPrefixes = byFirst(
	"added ", "audited ", "Downloading ", "Installing ", "Step ", "Collecting ", "Time: ", "Tests:", "index ", "hint: ", "Hint: ", "I0", "E0", "Compiled ", "BUILD ", "error: ", "Error: ", "warning: ", "PASS ", "FAIL ",
	"remote: ", "collected ", "Finished in ", "ok  ", "Date:   ", "Author: ", "Snapshots:", "FAILED ", "PASSED ", "INFO ", "WARN ", "ERROR ", "DEBUG ", "FATAL ", "exit status ", "exit code ", "Successfully installed", "Successfully built", "webpack ", "=> ",
)

var logParts = []string{
	" error TS", " │ gzip", "modules transformed", " built in ", " passed in ", "[100%]", "runtime error:", "Command failed with exit code", " level=info", " level=error", " level=warn", `"level":"`, " [running]:", " +0x", "[ERROR]", "[INFO]", "[WARN]", " npm ERR!", "HTTP/1.1\" ",
}

// maybeLog reports whether a line is output of a program if other lines are.
func maybeLog(trimmed string) bool {
	if weakPrefixes.start(trimmed) {
		return true
	}
	return isDigit(trimmed[0]) && (strings.Contains(trimmed, " examples, ") || strings.Contains(trimmed, " failures")) || strings.HasSuffix(trimmed, ".....")
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isStamped reports whether a line starts with a date and a time, a time and a level, or a commit.
func isStamped(line string) bool {
	line = strings.TrimLeft(line, "[(")
	n := 0
	for n < len(line) && (isDigit(line[n]) || strings.IndexByte("-:./,TZ +", line[n]) >= 0) && n < 32 {
		n++
	}
	stamp := strings.TrimSpace(line[:n])
	if hash, ok := strings.CutPrefix(line, "commit "); ok && len(hash) >= 40 && strings.Trim(hash[:40], "0123456789abcdef") == "" {
		return true
	}
	return len(stamp) >= 15 && strings.Count(stamp, ":") >= 2 ||
		len(stamp) >= 8 && strings.Count(stamp, ":") == 2 && (strings.Contains(line, "INFO") || strings.Contains(line, "ERROR") || strings.Contains(line, "WARN") || strings.Contains(line, "DEBUG") || strings.Contains(line, "["))
}

// isFrame reports whether a line is one of a stack trace.
func isFrame(line, trimmed string) bool {
	switch {
	case strings.HasPrefix(trimmed, "at ") && strings.Contains(trimmed, "(") && strings.Contains(trimmed, ":"):
		return true
	case strings.HasPrefix(trimmed, `File "`) && strings.Contains(trimmed, ", line "):
		return true
	case strings.HasPrefix(line, "\t/") && strings.Contains(line, ".go:"):
		return true
	case strings.HasSuffix(trimmed, ")") && strings.Index(trimmed, "(0x") > strings.IndexByte(trimmed, '.') && strings.IndexByte(trimmed, '.') > 0 && !strings.Contains(trimmed[:strings.Index(trimmed, "(0x")], " "):
		return true
	}
	return false
}

// isPosition reports whether a line starts with a file and a position, as compilers write them:
// a.go:3:4: or a.ts(3,4):.
func isPosition(line string) bool {
	first, _, ok := strings.Cut(line, " ")
	if !ok || !strings.HasSuffix(first, ":") || !strings.Contains(first, ".") {
		return false
	}
	first = strings.TrimSuffix(first, ":")
	if strings.HasSuffix(first, ")") {
		at := strings.LastIndexByte(first, '(')
		return at > 0 && strings.Trim(first[at+1:len(first)-1], "0123456789,") == ""
	}
	return strings.Count(first, ":") >= 1 && isDigit(first[len(first)-1])
}

// isListing reports whether a line is one of ls -l or of a tree.
func isListing(line string) bool {
	for _, prefix := range []string{"drwx", "-rw", "-rwx", "lrwx", "├──", "└──", "│  "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(line, "total ")
	return ok && strings.Trim(rest, "0123456789K") == "" || strings.HasPrefix(line, "dist/") || strings.HasPrefix(line, "modified:   ")
}

// isCode reports whether a line is source code, also outside of a fence.
func isCode(line string) bool {
	if line == "" {
		return false
	}
	if codePrefixes.start(line) {
		return true
	}
	switch line[len(line)-1] {
	case '>':
		return len(line) > 2 && line[0] == '<' && (line[1] == '/' || line[1] >= 'a' && line[1] <= 'z')
	case '{', ';':
		return !strings.HasPrefix(line, "- ") && !isDigit(line[0]) && strings.ContainsAny(line, "(={<") && strings.Count(line, " ") < 10
	case '}':
		return strings.Contains(line, "{") && strings.Contains(line, ":") && strings.Contains(line, ";") || line == "}"
	case ',':
		return strings.HasPrefix(line, `"`) && strings.Contains(line, `":`)
	}
	return line == "})" || line == ")," || line == "}," || line == "]" || line == "[" || line == "];" || line == ")" || strings.HasPrefix(line, `"`) && strings.Contains(line, `": `)
}

var codePrefixes = byFirst(
	"func ", "def ", "class ", "import {", "import (", "from . ", "const ", "let ", "var ", "return ", "return;", "export function", "export const", "export default", "export class", "export type", "export interface", "export async", "export {", "public class ", "public static ", "public void ", "private ", "#include", "package main", "type ", "interface ", "struct ", "enum ", "<div", "<span", "<script", "</", "<html", "<!DOCTYPE", "@media", "@import", "async function", "function ", "if (", "for (", "while (", "else {", "} else", "try {", "} catch", "console.log(", "fmt.Println(", "print(", "@Override", "impl ", "fn ", "pub fn", "use std",
)

// commands are programs whose call is worth keeping.
var commands = set(`kubectl curl docker docker-compose git psql make npm pnpm yarn go cargo python python3 pip ssh aws gcloud az terraform helm brew apt apt-get systemctl journalctl rg grep find sed awk jq openssl redis-cli mysql sqlite3
	bundle rails php composer just task node npx deno bun uv poetry pytest export sudo cd tail rsync scp gh glab vercel fly flyctl heroku wrangler mvn gradle ./gradlew dotnet flutter adb xcrun nix ansible ansible-playbook vault consul nomad stripe supabase prisma
	select insert update delete with alter create explain show http https wget nc dig ffmpeg mise direnv k9s stern kubectx pg_dump pg_restore mongosh k sops age gpg`)

// isCommand reports whether a line is a command of a shell or a query.
func isCommand(line string) bool {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "$ "), "> ")
	first, rest, _ := strings.Cut(line, " ")
	for strings.Contains(first, "=") && !strings.HasPrefix(first, "=") && rest != "" && strings.ToUpper(first[:1]) == first[:1] {
		first, rest, _ = strings.Cut(rest, " ") // VARIABLE=value command
	}
	return commands[strings.ToLower(first)] || strings.HasPrefix(first, "./") || strings.HasPrefix(first, "bin/") || strings.HasPrefix(first, "scripts/") || strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "--")
}
