// Package service writes the definitions with which a system starts Memoir at login: a unit of
// systemd, and a property list of launchd. It is pure; package cli installs them.
package service

import (
	"encoding/xml"
	"fmt"
	"strings"
)

const (
	// UnitName is the file name of the unit.
	UnitName = "memoir.service"
	// Label is the name of the job of launchd.
	Label = "memoir"
	// mark is in every definition, so that no other one is replaced or removed.
	mark = "Made by memoir service install"
)

// Spec is a server to start.
type Spec struct {
	Program     string     // absolute path
	Args        []string   // its flags
	Environment []Variable // in addition to the system's
	Log         string     // absolute path of the log file; only for launchd
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// IsOurs reports whether a definition was made by this package.
func IsOurs(definition string) bool { return strings.Contains(definition, mark) }

// Unit returns a unit of systemd for the services of one user.
func Unit(s Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s. To change it, run that again with other flags.\n[Unit]\nDescription=Memoir, the memories of AI agents\n", mark)
	b.WriteString("\n[Service]\nExecStart=" + quoteArgument(s.Program))
	for _, arg := range s.Args {
		b.WriteString(" " + quoteArgument(arg))
	}
	b.WriteByte('\n')
	for _, v := range s.Environment {
		b.WriteString("Environment=" + quoteValue(v.Name+"="+v.Value) + "\n")
	}
	// The server ends within 15 s. It ends with status 2 if a setting is wrong.
	b.WriteString("Restart=on-failure\nRestartSec=5\nRestartPreventExitStatus=2\nTimeoutStopSec=20\n")
	b.WriteString("\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// quoteValue quotes a text for a setting of systemd (systemd.syntax(7)), where % begins a specifier.
func quoteValue(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "%", "%%").Replace(text) + `"`
}

// quoteArgument quotes a word of a command line (systemd.service(5)), where $ begins a variable too.
func quoteArgument(word string) string {
	quoted := quoteValue(strings.ReplaceAll(word, "$", "$$"))
	if plain := quoted[1 : len(quoted)-1]; plain == word && word != "" && !strings.ContainsAny(word, " ';") {
		return word
	}
	return quoted
}

// Plist returns a property list of launchd for the agents of one user.
func Plist(s Spec) string {
	var b strings.Builder
	line := func(depth int, format string, values ...any) {
		b.WriteString(strings.Repeat("\t", depth))
		fmt.Fprintf(&b, format+"\n", values...)
	}
	line(0, `<?xml version="1.0" encoding="UTF-8"?>`)
	line(0, `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`)
	line(0, `<!-- %s. To change it, run that again with other flags. -->`, mark)
	line(0, `<plist version="1.0">`)
	line(0, `<dict>`)
	line(1, `<key>Label</key>`)
	line(1, `<string>%s</string>`, Label)
	line(1, `<key>ProgramArguments</key>`)
	line(1, `<array>`)
	for _, arg := range append([]string{s.Program}, s.Args...) {
		line(2, `<string>%s</string>`, escapeXML(arg))
	}
	line(1, `</array>`)
	if len(s.Environment) > 0 {
		line(1, `<key>EnvironmentVariables</key>`)
		line(1, `<dict>`)
		for _, v := range s.Environment {
			line(2, `<key>%s</key>`, escapeXML(v.Name))
			line(2, `<string>%s</string>`, escapeXML(v.Value))
		}
		line(1, `</dict>`)
	}
	line(1, `<key>RunAtLoad</key>`)
	line(1, `<true/>`)
	line(1, `<key>KeepAlive</key>`)
	line(1, `<dict>`)
	line(2, `<key>SuccessfulExit</key>`)
	line(2, `<false/>`)
	line(1, `</dict>`)
	line(1, `<key>ExitTimeOut</key>`)
	line(1, `<integer>20</integer>`)
	line(1, `<key>StandardErrorPath</key>`)
	line(1, `<string>%s</string>`, escapeXML(s.Log))
	line(0, `</dict>`)
	line(0, `</plist>`)
	return b.String()
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder does not fail
	return b.String()
}
