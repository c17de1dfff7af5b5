package architecture_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	runFlag  = regexp.MustCompile(`go test .*-run='?([^' ]+)'? \./([a-z/]+)`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)`)
)

// TestMakefile_RunPatterns fails if a target of the Makefile would run no test, as after a rename.
func TestMakefile_RunPatterns(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, match := range runFlag.FindAllStringSubmatch(string(makefile), -1) {
		if strings.HasPrefix(match[1], "^$") {
			continue // no test, but benchmarks
		}
		checked++
		files, err := filepath.Glob(filepath.Join("../..", match[2], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, alternative := range strings.Split(match[1], "|") {
			pattern, err := regexp.Compile(alternative)
			if err != nil {
				t.Fatal(err)
			}
			if !matchesTest(t, files, pattern) {
				t.Errorf("-run=%s matches no test of %s", alternative, match[2])
			}
		}
	}
	if checked < 5 {
		t.Errorf("%d patterns found in the Makefile, want all", checked)
	}
}

func matchesTest(t *testing.T, files []string, pattern *regexp.Regexp) bool {
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range testFunc.FindAllStringSubmatch(string(raw), -1) {
			if pattern.MatchString(match[1]) {
				return true
			}
		}
	}
	return false
}
