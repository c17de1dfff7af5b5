package claudesettings_test

import (
	"testing"

	"memoir/internal/claudesettings"
)

// inputs are the values of a test case. Others are not set.
type inputs struct {
	env                           map[string]string
	managed, local, project, user string
}

func (i inputs) input() claudesettings.Input {
	var files []claudesettings.File
	for _, f := range []struct {
		source claudesettings.Source
		raw    string
	}{{claudesettings.Managed, i.managed}, {claudesettings.Local, i.local}, {claudesettings.Project, i.project}, {claudesettings.User, i.user}} {
		files = append(files, claudesettings.File{Source: f.source, Path: string(f.source), Raw: []byte(f.raw)})
	}
	return claudesettings.Input{
		Env:   func(name string) (string, bool) { v, found := i.env[name]; return v, found },
		Files: files, Home: "/home/ada", Default: "/home/ada/.claude/projects/-srv-app/memory",
	}
}

// holder returns the name of the link that decides.
func holder(t *testing.T, links []claudesettings.Link) string {
	t.Helper()
	held := ""
	for _, l := range links {
		if !l.Holds {
			continue
		}
		if held != "" {
			t.Errorf("%q holds, and %q too", held, l.Name)
		}
		held = "default"
		if l.Name != "" {
			held = l.Name + " " + l.From
		}
	}
	return held
}

func TestDirectory_Precedence(t *testing.T) {
	t.Parallel()
	const byDefault = "/home/ada/.claude/projects/-srv-app/memory"
	const setting = "autoMemoryDirectory "
	for name, c := range map[string]struct {
		in      inputs
		want    string
		because string
	}{
		"nobody names one":               {inputs{}, byDefault, "default"},
		"the override":                   {inputs{env: map[string]string{"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "/mnt/m/"}, managed: `{"autoMemoryDirectory":"/managed"}`}, "/mnt/m", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE "},
		"an override with ~":             {inputs{env: map[string]string{"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "~/m"}, user: `{"autoMemoryDirectory":"/user"}`}, "/user", setting + "user"},
		"an override from the project":   {inputs{project: `{"env":{"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE":"/evil"}}`}, byDefault, "default"},
		"an override from the user":      {inputs{user: `{"env":{"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE":"/mine"}}`}, "/mine", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE user"},
		"managed before local":           {inputs{managed: `{"autoMemoryDirectory":"/managed"}`, local: `{"autoMemoryDirectory":"/local"}`}, "/managed", setting + "managed"},
		"local before user":              {inputs{local: `{"autoMemoryDirectory":"/local"}`, user: `{"autoMemoryDirectory":"/user"}`}, "/local", setting + "local"},
		"the user's, with comments":      {inputs{user: "{\n// mine\n\"autoMemoryDirectory\": \"~/notes/m\",}"}, "/home/ada/notes/m", setting + "user"},
		"the project's is not trusted":   {inputs{project: `{"autoMemoryDirectory":"~/.ssh"}`}, byDefault, "default"},
		"the home itself":                {inputs{user: `{"autoMemoryDirectory":"~/."}`}, byDefault, "default"},
		"above the home":                 {inputs{user: `{"autoMemoryDirectory":"~/../bob"}`}, byDefault, "default"},
		"a relative path ends the chain": {inputs{local: `{"autoMemoryDirectory":"memory"}`, user: `{"autoMemoryDirectory":"/user"}`}, byDefault, "default"},
		"the root":                       {inputs{user: `{"autoMemoryDirectory":"/"}`}, byDefault, "default"},
		"no JSON":                        {inputs{local: `{"autoMemoryDirectory":`, user: `{"autoMemoryDirectory":"/user"}`}, "/user", setting + "user"},
		"null is silent":                 {inputs{local: `{"autoMemoryDirectory":null}`, user: `{"autoMemoryDirectory":"/user"}`}, "/user", setting + "user"},
	} {
		dir, links := claudesettings.Directory(c.in.input())
		if because := holder(t, links); dir != c.want || because != c.because {
			t.Errorf("%s: %q because of %q, want %q because of %q", name, dir, because, c.want, c.because)
		}
	}
}

func TestEnabled_Precedence(t *testing.T) {
	t.Parallel()
	env := func(pairs ...string) map[string]string {
		e := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			e[pairs[i]] = pairs[i+1]
		}
		return e
	}
	const disable, simple, remote, storage = "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_REMOTE_MEMORY_DIR"
	for name, c := range map[string]struct {
		in      inputs
		want    bool
		because string
	}{
		"nobody says anything":            {inputs{}, true, "default"},
		"disabled":                        {inputs{env: env(disable, "1"), user: `{"autoMemoryEnabled":true}`}, false, disable + " "},
		"explicitly not disabled":         {inputs{env: env(disable, "false", simple, "1"), user: `{"autoMemoryEnabled":false}`}, true, disable + " "},
		"a word that is neither":          {inputs{env: env(disable, "perhaps")}, true, "default"},
		"disabled by settings":            {inputs{env: env(disable, "0"), user: `{"env":{"CLAUDE_CODE_DISABLE_AUTO_MEMORY":"1"}}`}, false, disable + " user"},
		"bare":                            {inputs{env: env(simple, "TRUE"), user: `{"autoMemoryEnabled":true}`}, false, simple + " "},
		"remote without storage":          {inputs{env: env(remote, "1"), user: `{"autoMemoryEnabled":true}`}, false, remote + " "},
		"remote with storage":             {inputs{env: env(remote, "1", storage, "/mnt")}, true, "default"},
		"a project may opt out":           {inputs{project: `{"autoMemoryEnabled":false}`, user: `{"autoMemoryEnabled":true}`}, false, "autoMemoryEnabled project"},
		"the administrator comes first":   {inputs{managed: `{"autoMemoryEnabled":true}`, project: `{"autoMemoryEnabled":false}`}, true, "autoMemoryEnabled managed"},
		"the user":                        {inputs{user: `{"autoMemoryEnabled":false}`}, false, "autoMemoryEnabled user"},
		"neither true nor false":          {inputs{local: `{"autoMemoryEnabled":"no"}`, user: `{"autoMemoryEnabled":false}`}, false, "autoMemoryEnabled user"},
		"a file that is no object at all": {inputs{user: `[]`}, true, "default"},
	} {
		on, links := claudesettings.Enabled(c.in.input())
		if because := holder(t, links); on != c.want || because != c.because {
			t.Errorf("%s: %v because of %q, want %v because of %q", name, on, because, c.want, c.because)
		}
	}
}
