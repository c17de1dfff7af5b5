package claudesettings_test

import (
	"strings"
	"testing"

	"memoir/internal/claudesettings"
)

func TestEnabled_TooDeep(t *testing.T) {
	// A recursive parser would overflow the stack and end the process.
	t.Parallel()
	const setting = `{"autoMemoryEnabled": false, "x": `
	for text, counts := range map[string]bool{
		strings.Repeat("[", 1<<20):                                            false,
		strings.Repeat(`{"a":`, 200_000):                                      false,
		setting + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}": false,
		setting + "1} // \" [[" + strings.Repeat("[", 2000):                   true,
		setting + "1 /*/ " + strings.Repeat("[", 2000) + " */}":               true,
		setting + `"\"` + strings.Repeat("[", 2000) + `\\"}`:                  true,
		setting + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "}":   true,
	} {
		on, links := claudesettings.Enabled(claudesettings.Input{Files: []claudesettings.File{{Source: claudesettings.User, Path: "settings.json", Raw: []byte(text)}}})
		if on == counts {
			t.Errorf("%.60s…: memory is on: %t, by %+v", text, on, links)
		}
	}
}
