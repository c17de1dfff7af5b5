package outage_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"memoir/internal/files/filestest"
	"memoir/internal/waittest"
)

// enoughForPostgres is room for an empty cluster, in bytes, and not for much more.
const enoughForPostgres = 160 << 20

func TestFullDisk_Recovers(t *testing.T) {
	disk := filestest.NewSmallDisk(t, enoughForPostgres)
	if disk == nil {
		return // which the log says; a line that is cut is tried all the same
	}
	s := setup(t, disk.Dir)
	open := s.fillPool(link)
	disk.Fill(t)
	saved := s.saveUntilItFails()
	s.changeFiles()
	disk.Free(t)

	waittest.For(s, "Memoir to be ready", func() bool { return s.call("GET", "/readyz", "").status == http.StatusOK })
	s.hasAllChanges()
	for i := range saved {
		if m, found := s.find(large(i)); !found || len(m.Body) != largeBody {
			t.Errorf("%s was answered and is not there", large(i))
		}
	}
	waittest.For(s, "the memory that found no room", func() bool {
		return s.save(saved).status == http.StatusOK // its file was there before Postgres failed
	})
	s.leavesNoConnectionBusy(open)
}

// largeBody is how long the text of a large memory is, in bytes.
const largeBody = 256 << 10

func large(i int) string { return fmt.Sprintf("Large %d", i) }

// save saves a large memory, of text that does not become less by compression.
func (s *site) save(i int) reply {
	s.Helper()
	var text strings.Builder
	for text.Len() < largeBody {
		text.WriteString(rand.Text())
	}
	body, err := json.Marshal(map[string]string{"name": large(i), "type": "user", "body": text.String()[:largeBody]})
	if err != nil {
		s.Fatal(err)
	}
	return s.call("POST", "/api/v1/agents/ada/memories", string(body))
}

// saveUntilItFails fills what room Postgres has kept for itself, and returns how many saves were
// answered.
func (s *site) saveUntilItFails() (saved int) {
	s.Helper()
	for deadline := time.Now().Add(waittest.Patience()); ; saved++ {
		r := s.save(saved)
		switch {
		case r.saysWhenToComeBack():
			return saved
		case r.status != http.StatusCreated:
			s.Fatalf("without room for Postgres: status %d, %s", r.status, r.body)
		case time.Now().After(deadline):
			s.Fatalf("Postgres had room for %d large memories, on a full disk", saved)
		}
	}
}
