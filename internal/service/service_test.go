package service_test

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"memoir/internal/service"
)

// odd are words that a shell, systemd or XML could take for something else.
var odd = []string{"", "a b", `"quoted"`, `back\slash`, "$HOME", "${HOME}", "$$", "100%", "%h", "<&>", "'single'", "a;b", "line\nbreak", "レビュー", "--flag=1"}

func spec() service.Spec {
	return service.Spec{
		Program: "/opt/my memoir/$bin/100%/memoir", Args: odd,
		Environment: []service.Variable{{Name: "MEMOIR_TOKEN", Value: `a"b\c $d %e <&>`}, {Name: "PATH", Value: "/usr/bin:/bin"}},
		Log:         "/Users/ada/Library/Logs/memoir & co.log",
	}
}

// words splits a setting of systemd as systemd.syntax(7) and systemd.service(5) describe it.
func words(t *testing.T, line string, isCommand bool) (all []string) {
	t.Helper()
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		var word strings.Builder
		isQuoted := line[0] == '"'
		if isQuoted {
			line = line[1:]
		}
		for {
			if line == "" {
				if isQuoted {
					t.Fatalf("a quote is not closed: %q", word.String())
				}
				break
			}
			c := line[0]
			line = line[1:]
			if isQuoted && c == '"' || !isQuoted && c == ' ' {
				break
			}
			if c == '\\' {
				c = line[0]
				line = line[1:]
				if i := strings.IndexByte("nrt", c); i >= 0 {
					c = "\n\r\t"[i]
				}
			} else if c == '%' || c == '$' && isCommand {
				if line == "" || line[0] != c {
					t.Fatalf("%q expands something", string(c)+line)
				}
				line = line[1:]
			}
			word.WriteByte(c)
		}
		all = append(all, word.String())
	}
	return all
}

func TestUnit_KeepsWords(t *testing.T) {
	t.Parallel()
	unit := service.Unit(spec())
	var command, variables []string
	for line := range strings.Lines(unit) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch name {
		case "ExecStart":
			command = words(t, value, true)
		case "Environment":
			variables = append(variables, words(t, value, false)...)
		}
	}
	if want := append([]string{spec().Program}, odd...); !reflect.DeepEqual(command, want) {
		t.Errorf("ExecStart = %q, want %q", command, want)
	}
	if want := []string{`MEMOIR_TOKEN=a"b\c $d %e <&>`, "PATH=/usr/bin:/bin"}; !reflect.DeepEqual(variables, want) {
		t.Errorf("Environment = %q, want %q", variables, want)
	}
	if !service.IsOurs(unit) || service.IsOurs("[Unit]\nDescription=Memoir\n") {
		t.Error("IsOurs() is wrong")
	}
}

// systemd itself must accept the unit and find the program in it.
func TestUnit_Verified(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	dir := t.TempDir()
	s := spec()
	s.Program = filepath.Join(dir, "my memoir", "memoir")
	if err := os.Mkdir(filepath.Dir(s.Program), 0o755); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, service.UnitName)
	if err := os.WriteFile(at, []byte(service.Unit(s)), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := func() (string, error) {
		command := exec.Command(analyze, "--user", "verify", "--man=no", at)
		command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		out, err := command.CombinedOutput()
		return string(out), err
	}
	if out, err := verify(); err == nil {
		t.Errorf("without the program: %s", out)
	}
	if err := os.WriteFile(s.Program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := verify(); err != nil || strings.Contains(out, service.UnitName) {
		t.Errorf("%v: %s", err, out)
	}
}

// value is a value of a property list.
type value struct {
	XMLName xml.Name
	Text    string  `xml:",chardata"`
	Values  []value `xml:",any"`
}

func (v value) get(t *testing.T, key string) value {
	t.Helper()
	for i, k := range v.Values {
		if k.XMLName.Local == "key" && k.Text == key {
			return v.Values[i+1]
		}
	}
	t.Fatalf("there is no %s", key)
	return value{}
}

func TestPlist_KeepsWords(t *testing.T) {
	t.Parallel()
	text := service.Plist(spec())
	var list struct {
		XMLName xml.Name `xml:"plist"`
		Dict    value    `xml:"dict"`
	}
	if err := xml.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Dict.Values)%2 != 0 {
		t.Error("a key has no value")
	}
	var command []string
	for _, v := range list.Dict.get(t, "ProgramArguments").Values {
		command = append(command, v.Text)
	}
	if want := append([]string{spec().Program}, odd...); !reflect.DeepEqual(command, want) {
		t.Errorf("ProgramArguments = %q, want %q", command, want)
	}
	if got := list.Dict.get(t, "EnvironmentVariables").get(t, "MEMOIR_TOKEN").Text; got != `a"b\c $d %e <&>` {
		t.Errorf("MEMOIR_TOKEN = %q", got)
	}
	if got := list.Dict.get(t, "StandardErrorPath").Text; got != spec().Log {
		t.Errorf("StandardErrorPath = %q", got)
	}
	if got := list.Dict.get(t, "KeepAlive").get(t, "SuccessfulExit").XMLName.Local; got != "false" {
		t.Errorf("SuccessfulExit = %s", got)
	}
	if !service.IsOurs(text) {
		t.Error("IsOurs() = false")
	}
}
