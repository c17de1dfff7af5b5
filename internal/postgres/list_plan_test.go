package postgres_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"memoir/internal/postgres/pgtest"
)

// TestListMemories_GenericPlan counts the rows that the steps of a list read. Postgres plans a
// prepared statement without its parameters after a few uses, and then expects few rows.
func TestListMemories_GenericPlan(t *testing.T) {
	t.Parallel()
	const memories = 3_000
	l := setupLibrary(t, memories)
	pgtest.Execute(t, l.conn, "SET plan_cache_mode = force_generic_plan")
	source, err := os.ReadFile("internal/queries/memory_list.sql.go")
	if err != nil {
		t.Fatal(err)
	}
	query := regexp.MustCompile("(?s)const listMemories = `(.*?)`").FindStringSubmatch(string(source))
	if query == nil {
		t.Fatal("the query is not in its file")
	}
	pgtest.Execute(t, l.conn, "PREPARE listed AS "+query[1])
	for name, view := range map[string]string{"all": "true, 'type', ''", "new": "false, 'newest', 'new'", "never recalled": "false, 'cost', 'never-recalled'"} {
		t.Run(name, func(t *testing.T) {
			grouped, sortAndView, _ := strings.Cut(view, ", ")
			var plan []byte
			pgtest.Query(t, l.conn, fmt.Sprintf(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE listed(false, %d, %s, %s, 0, '',
				now(), now(), now(), ARRAY[now(), now(), now(), now()], now(), '', '{}', '00000000-0000-0000-0000-000000000000', false,
				'{25,25,25,25,25,25}', -12, 12, '{1,1,1,1,1,1}')`, l.agent.ID, grouped, sortAndView), &plan)
			var found []struct{ Plan planStep }
			if err := json.Unmarshal(plan, &found); err != nil {
				t.Fatal(err)
			}
			if read := found[0].Plan.read(); read < memories || read > 30*memories {
				t.Errorf("%.0f rows were read to list %d memories", read, memories)
			}
		})
	}
}

// planStep is a step of an executed plan of Postgres.
type planStep struct {
	Plans   []planStep
	Loops   float64 `json:"Actual Loops"`
	Rows    float64 `json:"Actual Rows"`            // of each loop
	Removed float64 `json:"Rows Removed by Filter"` // of each loop
}

// read returns how many rows the step and those below it have read.
func (s planStep) read() float64 {
	rows := s.Loops * (s.Rows + s.Removed)
	for _, below := range s.Plans {
		rows += below.read()
	}
	return rows
}
