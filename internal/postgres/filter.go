package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/search"
)

// condition is the SQL of one filter, for a table m of memories. The argument of the filter has its
// name.
type condition struct {
	sql     string
	values  map[string]string // the SQL of each value, instead of sql
	past    string            // the SQL for memories as they were at a past time, instead of sql
	tallied bool              // memory_tallies has the columns too
}

// conditions are the conditions of all fields of memories.Filter. A field without SQL is no
// condition on rows: it changes the order or the time of a list, or the search index answers it.
var conditions = map[string]condition{
	"type":      {sql: "m.type = @type", tallied: true},
	"state":     {sql: "m.state = @state", tallied: true},
	"stale":     {sql: "m.modified_at BETWEEN @known_since AND @stale_since AND m.readable"},
	"unchecked": {sql: "m.modified_at >= @known_since AND m.modified_at <= (@unchecked_since::timestamptz[])[array_position(@types::text[], m.type)] AND m.readable"},
	"flagged":   {sql: "m.state = 'active' AND m.problems <> '[]'"},
	"not_removed": {sql: `m.id IN (SELECT f.memory_id FROM files f
			WHERE f.agent_id = @agent AND f.status = 'removing' AND f.problem IS NOT NULL)`},
	// The inner query uses no column of m, so that it runs once and not for every memory.
	"session": {sql: `(m.session = @session OR m.id IN (SELECT f.memory_id FROM files f
			WHERE f.agent_id = @agent AND f.session = @session AND f.present AND f.status IN ('mirrored', 'removing')))`,
		past: "m.session = @session"},
	"name":          {sql: "m.name = @name"},
	"scope":         {values: map[string]string{string(memories.TeamScope): "m.team", string(memories.PrivateScope): "NOT m.team"}},
	"updated_since": {sql: "m.updated_at >= @updated_since"},
	"q":             {},
	"near":          {},
	"sort":          {},
	"as_of":         {},
}

// clause returns the SQL for one value of the filter. It returns "" if the filter is no condition
// on rows, or does not know the value. isPast selects the variant for memories as they were at a
// past time.
func (c condition) clause(value string, isPast bool) string {
	switch {
	case c.values != nil:
		return c.values[value]
	case isPast && c.past != "":
		return c.past
	default:
		return c.sql
	}
}

// filterArgs returns the arguments for the SQL of all conditions, including fields that f does not
// set. It adds the bounds for stale and for unchecked memories at the time now.
func filterArgs(f memories.Filter, now time.Time) pgx.NamedArgs {
	args := pgx.NamedArgs{
		"known_since": memories.KnownSince, "stale_since": memories.StaleSince(now), "types": memories.Types(), "unchecked_since": memories.UncheckedSince(now),
	}
	values := f.Values()
	for _, field := range memories.FilterFields() {
		value := values.Get(field.Name)
		switch {
		case field.IsMoment:
			args[field.Name] = memories.Moment(value).Time()
		case field.Name == "name":
			args[field.Name] = memories.NormalizeName(value)
		default:
			args[field.Name] = value
		}
	}
	return args
}

// where returns a WHERE clause for a table m of memories or of their tallies. It has the conditions
// of the fields that f sets and that selected accepts. agent is the SQL of an agent's id; empty
// means all agents. Deleted memories are excluded unless f.State is set.
func where(f memories.Filter, agent string, selected func(condition) bool) string {
	var sql strings.Builder
	sql.WriteString(" WHERE true")
	if agent != "" {
		sql.WriteString(" AND m.agent_id = " + agent)
	}
	if f.State == "" {
		sql.WriteString(" AND m.state <> 'deleted'")
	}
	values := f.Values()
	for _, field := range memories.FilterFields() {
		c := conditions[field.Name]
		if !values.Has(field.Name) || !selected(c) {
			continue
		}
		if clause := c.clause(values.Get(field.Name), f.AsOf != ""); clause != "" {
			sql.WriteString(" AND " + clause)
		}
	}
	return sql.String()
}

func anyCondition(condition) bool { return true }
func isTallied(c condition) bool  { return c.tallied }

// filtersBeyondTallies reports whether f has a condition on columns that memory_tallies does not
// have.
func filtersBeyondTallies(f memories.Filter) bool {
	for name, values := range f.Values() {
		if c := conditions[name]; !c.tallied && c.clause(values[0], false) != "" {
			return true
		}
	}
	return false
}

// selection selects the memories of a list: sql begins with FROM, and count is the query that
// counts them.
type selection struct {
	sql, count string
	args       pgx.NamedArgs
	counted    bool // the query of a page returns the count in each row
}

// selectionOf returns the SQL that selects and counts the memories of the scope that match f. query
// is the parsed f.Query, with which it searches; it must be zero if f.Query is empty.
func selectionOf(f memories.Filter, of scope, query search.Query) selection {
	args := filterArgs(f, time.Now())
	agent := "" // all agents
	if of.agentID != 0 {
		args["agent"] = of.agentID
		agent = "@agent"
	} else if of.some != nil {
		args["agents"], agent = of.some, "ANY(@agents)"
	}
	if f.Query != "" {
		args["sought"], args["match"], args["titled"] = query.Rank(), query.Match(of.search()), query.Titled(of.search())
	}
	if byIndexAlone(f, query) {
		alone := searchAlone(agent)
		return selection{sql: alone, count: "SELECT count(*) " + alone, args: args, counted: true}
	}
	var sql strings.Builder
	sql.WriteString("FROM memories m")
	if len(query.Phrases()) > 0 {
		sql.WriteString(" JOIN revisions r ON r.id = m.revision_id")
	}
	if f.Query != "" {
		sql.WriteString(" JOIN memory_search s ON s.memory_id = m.id AND s.words @@ @match::tsquery")
	}
	sql.WriteString(where(f, agent, anyCondition))
	for i, phrase := range query.Phrases() {
		name := fmt.Sprintf("phrase%d", i)
		args[name] = phrase
		// Most text is normalised. Postgres checks that faster than it normalises.
		fmt.Fprintf(&sql, ` AND (SELECT position(@%s::text IN CASE WHEN t.text IS NFKC NORMALIZED THEN t.text ELSE normalize(t.text, NFKC) END)
			FROM (SELECT m.name || E'\n' || r.description || E'\n' || r.body) t (text)) > 0`, name)
	}
	s := selection{sql: sql.String(), count: "SELECT count(*) " + sql.String(), args: args, counted: f.Query != ""}
	if f.Query == "" && !filtersBeyondTallies(f) {
		s.count, s.counted = "SELECT coalesce(sum(m.n), 0) FROM memory_tallies m"+where(f, agent, isTallied), true
	}
	return s
}

// byIndexAlone reports whether the search index alone selects the memories of the list, apart from
// the trash. That is so for a search by rank without other filters and without phrases.
func byIndexAlone(f memories.Filter, query search.Query) bool {
	return f.Sort == byRank && !f.Narrows() && len(query.Phrases()) == 0
}

// searchAlone returns the FROM and WHERE clauses of a search that selects memories by the search
// index alone, and excludes the trash. Reading the other rows of memories would cost more than the
// search. agent is the SQL of an agent's id; it only restricts the trash, because the argument
// match restricts the search.
func searchAlone(agent string) string {
	trash := "SELECT d.id FROM memories d WHERE d.state = 'deleted'"
	if agent != "" {
		trash += " AND d.agent_id = " + agent
	}
	return "FROM memory_search s WHERE s.words @@ @match::tsquery AND s.memory_id NOT IN (" + trash + ")"
}
