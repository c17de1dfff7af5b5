package model

import "testing"

func TestValue_FindsJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1}`:                 "{\"a\":1}",
		" {\"a\":1}\n":            "{\"a\":1}",
		"```json\n{\"a\":1}\n```": "{\"a\":1}",
		"```\n{\"a\":1}\n```\n":   "{\"a\":1}",
		"``` {\"a\":1} ```":       "{\"a\":1}",
		"Here it is:\n\n```json\n{\"a\":1}\n```\nGood luck.": "{\"a\":1}",
		"I chose {\"a\":{\"b\":[]}} for you.":                "{\"a\":{\"b\":[]}}",
		"```json\n{\"a\":\"```\"}\n```":                      "{\"a\":\"```\"}",
		"It is blue.":                                        "",
		"{not JSON}":                                         "",
		"```json\n{\"a\":\n```":                              "",
		"":                                                   "",
	} {
		got, err := value(text)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("value(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}
