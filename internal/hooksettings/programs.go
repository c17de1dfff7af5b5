package hooksettings

import (
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/tailscale/hujson"
)

// Programs returns the programs that Memoir's hooks in a settings file run, without duplicates: paths,
// or memoir for the one in PATH. off reports whether the file switches all hooks off. It returns an
// error for users if the file is no JSON object.
func Programs(file []byte) (programs []string, off bool, err error) {
	s, err := parse(file)
	if err != nil {
		return nil, false, err
	}
	for _, event := range Events() {
		for _, group := range s.groups(event) {
			for _, entry := range entriesOf(group) {
				var e hook
				if !decode(entry, &e) || e.Type != "command" {
					continue
				}
				if _, isOurs := (Hooks{}).addressIn(event, e.Command); !isOurs {
					continue
				}
				// addressIn has split the line.
				words, _ := shellquote.Split(strings.TrimSuffix(e.Command, ifPresent))
				programs = append(programs, words[0])
			}
		}
	}
	slices.Sort(programs)
	var all struct {
		Off bool `json:"disableAllHooks"`
	}
	decode(hujson.Value{Value: s.top}, &all)
	return slices.Compact(programs), all.Off, nil
}
