package torture

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"memoir/internal/longrun"
	"memoir/internal/postgres/pgtest"
)

// killsForHandover is the number of kills for each further measured handover.
const killsForHandover = 10

func TestKill_Takeover(t *testing.T) {
	t.Parallel()
	p := newPlace(t, seed(), 2)
	p.flags = []string{"--database-url=" + pgtest.New(t)} // all other settings have their defaults
	dir := p.agents + "/ada/memory/"
	p.startAll()
	for n := range max(1, *kills/killsForHandover) {
		goes, comes := fmt.Sprintf("Goes %d", n), fmt.Sprintf("Comes %d", n)
		mustWrite(t, dir+fmt.Sprintf("goes%d.md", n), plainNote(goes))
		var m memory
		for _, s := range p.servers {
			m = s.awaitMemory("ada", goes)
		}
		holder := p.holder("ada")
		other := p.servers[1-slices.Index(p.servers, holder)]

		holder.kill()
		killed := time.Now()
		mustWrite(t, dir+fmt.Sprintf("comes%d.md", n), plainNote(comes))
		shown := make(chan time.Duration)
		go func() {
			other.awaitMemory("ada", comes)
			shown <- time.Since(killed)
		}()
		other.mustDelete("ada", m)
		h := longrun.Handover{Deletion: time.Since(killed)}
		h.File = <-shown
		if _, err := os.Stat(dir + fmt.Sprintf("goes%d.md", n)); !os.IsNotExist(err) {
			t.Errorf("the deletion is answered, and its file is there (%v)", err)
		}
		t.Logf("%d: the deletion took %v, the file %v", n+1, h.Deletion, h.File)
		fallen.addHandover(h)
		p.startAll()
	}
}

func plainNote(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: d\ntype: user\n---\n\nSays something.\n", name)
}

// awaitMemory waits until the server lists a memory, and returns it.
func (s *server) awaitMemory(slug, name string) memory {
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var answer struct{ Memories []memory }
		status, _ := s.call("GET", "/api/v1/agents/"+slug+"/memories?name="+url.QueryEscape(name), nil, &answer)
		if answered(status) && len(answer.Memories) == 1 {
			return answer.Memories[0]
		}
		if time.Now().After(deadline) {
			s.Errorf("%s is not shown after %v\n%s", name, patience, s.log())
			return memory{}
		}
	}
}

// mustDelete deletes a memory. After an answer of 503 it tries again when the answer says.
func (s *server) mustDelete(slug string, m memory) {
	s.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		status, problem := s.call("DELETE", "/api/v1/agents/"+slug+"/memories/"+m.ID, nil, nil)
		if status == http.StatusOK {
			return
		}
		if status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			s.Fatalf("the deletion: %d, %v\n%s", status, problem, s.log())
		}
	}
}
