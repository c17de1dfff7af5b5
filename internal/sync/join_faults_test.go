package sync_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/longrun"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/sync"
)

// couple is two agents of Claude Code in a Memoir whose steps can fail.
type couple struct {
	*bench
	breaker   *breaker
	runs      int
	from, to  string // slugs
	wasInFrom map[string]string
	wasInTo   map[string]string
	hasGone   bool // the file of rhubarb, while the two were joined
}

func newCouple(t *testing.T) *couple {
	t.Helper()
	url := pgtest.New(t)
	p := &couple{breaker: &breaker{}}
	p.bench = &bench{T: t, dir: t.TempDir(), url: linetest.New(t, url, p.breaker.fate).URL}
	p.options = optionsFor(p.dir)
	p.options.Places = agents.Settings{ClaudeDir: p.path("claude")}
	p.options.Disk = brokenDisk{p.breaker}
	p.options.Debounce, p.options.Rescan = 1e15, 1e15 // it looks when it is told to
	p.start()
	return p
}

func (p *couple) memoryDir(slug string) string { return p.path("claude/projects/" + slug + "/memory") }

// enter makes two new agents; the one has what the other has, has otherwise, has not, and has deleted.
func (p *couple) enter() {
	p.Helper()
	p.runs++
	p.from, p.to = fmt.Sprintf("from%d", p.runs), fmt.Sprintf("to%d", p.runs)
	put := func(slug, name, text string, age time.Duration) {
		p.writeAged("claude/projects/"+slug+"/memory/"+name, text, age)
	}
	put(p.from, "quince.md", note("Quince", memories.Feedback, "Quince of the one."), 2*long)
	put(p.from, "rhubarb.md", note("Rhubarb", memories.User, "Rhubarb of the one."), 2*long)
	put(p.from, "team/sorrel.md", note("Sorrel", memories.Project, "Sorrel of the one."), 2*long)
	put(p.from, "MEMORY.md", "- [Quince](quince.md) of the one\n- [Rhubarb](rhubarb.md)\n", 2*long)
	put(p.to, "quince.md", note("Quince", memories.Feedback, "Quince of the other."), long)
	put(p.to, "MEMORY.md", "- [Quince](quince.md)\n", long)
	p.scanAll()
	p.wasInFrom, p.wasInTo, p.hasGone = p.texts(p.from), p.texts(p.to), false
}

// lose has a file go while the two are joined.
func (p *couple) lose() {
	p.Helper()
	p.remove("claude/projects/" + p.to + "/memory/rhubarb.md")
	p.scanAll()
	delete(p.wasInFrom, "rhubarb.md")
	p.hasGone = true
}

// texts are those of the files of an agent's directory, by path.
func (p *couple) texts(slug string) map[string]string {
	p.Helper()
	found := map[string]string{}
	dir, err := filepath.EvalSymlinks(p.memoryDir(slug))
	if err != nil {
		p.Fatalf("the directory of %s cannot be found: %v", slug, err)
	}
	err = filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(at)
		found[rel] = string(raw)
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return found
}

// lost returns the texts that are in none of the agent's files, and the files that are Memoir's own.
func lost(was, is map[string]string) (missing []string) {
	for name, text := range was {
		found := false
		for _, has := range is {
			found = found || has == text || strings.HasSuffix(name, "MEMORY.md")
		}
		if !found {
			missing = append(missing, "what "+name+" said is in no file")
		}
	}
	for name := range is {
		if strings.HasPrefix(filepath.Base(name), ".memoir-") {
			missing = append(missing, name+" is left over")
		}
	}
	return missing
}

func (p *couple) isLinked() bool { return agents.IsLink(p.memoryDir(p.from)) }

// mirrored complains of memories that are not what the files say.
func (p *couple) bodies(slug string) map[string]string {
	p.Helper()
	bodies := map[string]string{}
	for name, m := range p.list(slug, "") {
		bodies[name] = m.Body
	}
	return bodies
}

func (p *couple) scanAll() {
	p.Helper()
	(&stage{bench: p.bench}).scanAll()
}

// check says what is wrong after all has come to rest.
func (p *couple) check() (wrong []string) {
	p.Helper()
	wrong = append(lost(p.wasInFrom, p.texts(p.from)), lost(p.wasInTo, p.texts(p.to))...)
	linked, row := p.isLinked(), p.agent(p.from).JoinedTo
	if linked != (row == p.to) {
		wrong = append(wrong, fmt.Sprintf("it is a link: %t, and its row says it is joined to %q", linked, row))
	}
	if linked {
		wrong = append(wrong, lost(p.wasInFrom, p.texts(p.to))...)
		want := "map[Quince:Quince of the other. Rhubarb:Rhubarb of the one. Sorrel:Sorrel of the one.]"
		if p.hasGone {
			want = "map[Quince:Quince of the other. Sorrel:Sorrel of the one.]"
		}
		if got := fmt.Sprint(p.bodies(p.to)); got != want {
			wrong = append(wrong, "the memories say "+got)
		}
		index := p.texts(p.to)["MEMORY.md"]
		if index != "- [Quince](quince.md)\n- [Quince](quince_2.md) of the one\n- [Rhubarb](rhubarb.md)\n" {
			wrong = append(wrong, "the index says\n"+index)
		}
	} else if _, has := p.bodies(p.from)["Rhubarb"]; has == p.hasGone || !has && len(p.list(p.from, memories.Deleted)) != 1 || len(p.bodies(p.from)) < 2 {
		wrong = append(wrong, fmt.Sprintf("the agent has the memories %v", p.bodies(p.from)))
	}
	beside, _ := filepath.Glob(p.path("claude/projects/" + p.from + "/.*"))
	for _, name := range beside {
		if info, err := os.Lstat(name); err != nil || !info.IsDir() || !strings.Contains(name, "before-joining") {
			wrong = append(wrong, name+" is left over")
		}
	}
	if begun, err := p.store.BegunJoins(p.Context()); err != nil || len(begun) > 0 {
		wrong = append(wrong, fmt.Sprintf("%+v is not done, %v", begun, err))
	}
	return wrong
}

// Each step of joining two agents and of parting them fails, before it takes effect and after, or is the last before a crash. Then Memoir is
// started again or goes on, and scans: the two are joined or not, on disk and in Postgres alike, nothing is lost, and nothing left over.
// Where they were not joined, they can be by then.
func TestNoFaultLeavesTwoAgentsHalfJoined(t *testing.T) {
	t.Parallel()
	byScript := sync.As(t.Context(), memories.ByScript)
	join := func(p *couple) error { _, err := p.engine.Join(byScript, p.from, p.to); return err }
	joinAndLose := func(p *couple) error {
		err := join(p)
		p.lose()
		return err
	}
	part := func(p *couple) error { _, err := p.engine.Part(byScript, p.from); return err }
	for name, op := range map[string]struct {
		before, do func(*couple) error
		linked     bool // when it is done
	}{
		"join": {func(*couple) error { return nil }, join, true},
		"part": {joinAndLose, part, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newCouple(t)
			enter := func() {
				p.enter()
				if err := op.before(p); err != nil {
					t.Fatal(err)
				}
				p.wasInTo = p.texts(p.to)
			}
			enter()
			p.breaker.arm(nil, 0)
			err := op.do(p)
			steps := p.breaker.disarm()
			if err != nil {
				t.Fatalf("without any failure: %v", err)
			}
			if wrong := p.check(); len(wrong) > 0 || p.isLinked() != op.linked {
				t.Fatalf("without any failure: linked %t, %s", p.isLinked(), strings.Join(wrong, "\n"))
			}
			trials := 0
			for n, step := range steps {
				for i, how := range failuresOf(step) {
					if !changesSomething(step) || *faults == "some" && (strings.HasPrefix(step, "Postgres") && (n+i)%7 != 0 || (n+i)%4 != 0) {
						continue
					}
					trials++
					enter()
					p.breaker.arm(map[int]failure{n: how}, syscall.ENOSPC)
					err := op.do(p)
					if restart := how == diesAfter || how == diesAmid; restart {
						p.stop()
						p.breaker.revive()
						p.breaker.disarm()
						p.start()
					}
					p.breaker.disarm()
					p.scanAll()
					at := fmt.Sprintf("step %d, %s, %v", n+1, step, how)
					if wrong := p.check(); len(wrong) > 0 {
						t.Errorf("%s: after %v\n%s", at, err, strings.Join(wrong, "\n"))
					}
					if err == nil && p.isLinked() != op.linked {
						t.Errorf("%s: it says that it is done, and it is not", at)
					}
					if p.isLinked() != op.linked {
						if err := op.do(p); err != nil {
							t.Errorf("%s: and then it cannot be done: %v", at, err)
						} else if wrong := p.check(); len(wrong) > 0 {
							t.Errorf("%s: and then, once it is done: %s", at, strings.Join(wrong, "\n"))
						}
					}
				}
			}
			if *faults != "some" {
				longrun.Passed(t, "faults: each step, two agents: "+name, fmt.Sprintf("%d steps, %d trials", len(steps), trials), "")
			}
			t.Logf("%d steps, %d trials: %s", len(steps), trials, strings.Join(slices.DeleteFunc(steps, func(s string) bool { return !changesSomething(s) }), "; "))
		})
	}
}
