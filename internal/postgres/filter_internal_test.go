package postgres

import (
	"maps"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/postgres/search"
)

// withoutSQL are the filters without a condition on rows.
var withoutSQL = map[string]bool{"q": true, "near": true, "sort": true, "as_of": true}

func TestConditions_EveryFilter(t *testing.T) {
	t.Parallel()
	left := maps.Clone(conditions)
	for _, field := range memories.FilterFields() {
		c, known := conditions[field.Name]
		if !known {
			t.Errorf("conditions has no row for %s", field.Name)
		}
		if hasSQL := c.sql != "" || c.values != nil; hasSQL == withoutSQL[field.Name] {
			t.Errorf("conditions[%q] has SQL: %v", field.Name, hasSQL)
		}
		for _, value := range field.Enum {
			if c.values != nil && c.values[value] == "" {
				t.Errorf("conditions[%q] has no SQL for %s", field.Name, value)
			}
		}
		delete(left, field.Name)
	}
	for name := range left {
		t.Errorf("conditions has %s, which is no filter", name)
	}
}

func TestSelectionOf(t *testing.T) {
	t.Parallel()
	one, all := scope{agentID: 7, slugs: map[int64]string{7: "ada"}}, scope{}
	for name, test := range map[string]struct {
		filter     memories.Filter
		of         scope
		sql, count string // parts of them
	}{
		"all but deleted": {memories.Filter{}, one, "m.agent_id = @agent AND m.state <> 'deleted'", "memory_tallies"},
		"all agents":      {memories.Filter{}, all, "WHERE true AND m.state <> 'deleted'", "memory_tallies"},
		"type and state":  {memories.Filter{Type: memories.User, State: memories.Missing}, one, "m.type = @type AND m.state = @state", "memory_tallies"},
		"name":            {memories.Filter{Name: "Tabs"}, one, "m.name = @name", "FROM memories m"},
		"team":            {memories.Filter{Scope: memories.TeamScope}, one, "AND m.team", "FROM memories m"},
		"private":         {memories.Filter{Scope: memories.PrivateScope}, one, "AND NOT m.team", "FROM memories m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := selectionOf(test.filter, test.of, search.Query{})
			if !strings.Contains(s.sql, test.sql) || !strings.Contains(s.count, test.count) {
				t.Errorf("selectionOf() = %s; count %s", s.sql, s.count)
			}
		})
	}
}
