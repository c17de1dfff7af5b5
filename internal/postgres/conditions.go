package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
)

// conditions are the part of a query that says which memories belong to a list, from FROM on, and the query that counts
// them.
type conditions struct {
	sql, count string
	args       pgx.NamedArgs
	counted    bool // each row of a page has the count
}

func conditionsOf(l records.MemoryList, of scope, query search.Query) conditions {
	args := pgx.NamedArgs{}
	agent := "" // as a query has the id of the one agent; empty: all agents
	if of.agentID != 0 {
		args["agent"] = of.agentID
		agent = "@agent"
	}
	if l.Search != "" {
		args["sought"], args["match"], args["titled"] = query.Rank(), query.Match(of.search()), query.Titled(of.search())
	}
	if byIndexAlone(l, query) {
		alone := searchAlone(agent)
		return conditions{sql: alone, count: "SELECT count(*) " + alone, args: args, counted: true}
	}
	var sql strings.Builder
	sql.WriteString("FROM memories m")
	if len(query.Phrases()) > 0 {
		sql.WriteString(" JOIN revisions r ON r.id = m.revision_id")
	}
	if l.Search != "" {
		sql.WriteString(" JOIN memory_search s ON s.memory_id = m.id AND s.words @@ @match::tsquery")
	}
	where := tallied(l, agent, args)
	sql.WriteString(where)
	if l.Stale {
		args["stale_since"], args["known_since"] = memories.StaleSince(time.Now()), memories.KnownSince
		sql.WriteString(" AND m.modified_at BETWEEN @known_since AND @stale_since AND m.readable")
	}
	if l.Flagged {
		sql.WriteString(" AND m.state = 'active' AND m.problems <> '[]'")
	}
	if l.NotRemoved {
		sql.WriteString(` AND m.id IN (SELECT f.memory_id FROM files f
			WHERE f.agent_id = ` + agent + ` AND f.status = 'removing' AND f.problem IS NOT NULL)`)
	}
	if l.Session != "" {
		args["session"] = l.Session
		// The inner query names nothing of the outer one, so that it runs once and not for every memory.
		sql.WriteString(` AND (m.session = @session OR m.id IN (SELECT f.memory_id FROM files f
			WHERE f.agent_id = ` + agent + ` AND f.session = @session AND f.present AND f.status IN ('mirrored', 'removing')))`)
	}
	if l.Name != "" {
		args["name"] = memories.NormalizeName(l.Name)
		sql.WriteString(" AND m.name = @name")
	}
	switch l.Scope {
	case memories.TeamScope:
		sql.WriteString(" AND m.team")
	case memories.PrivateScope:
		sql.WriteString(" AND NOT m.team")
	}
	for i, phrase := range query.Phrases() {
		name := fmt.Sprintf("phrase%d", i)
		args[name] = phrase
		// Most text is normalised, which is told a good deal sooner than it is done.
		fmt.Fprintf(&sql, ` AND (SELECT position(@%s::text IN CASE WHEN t.text IS NFKC NORMALIZED THEN t.text ELSE normalize(t.text, NFKC) END)
			FROM (SELECT m.name || E'\n' || r.description || E'\n' || r.body) t (text)) > 0`, name)
	}
	c := conditions{sql: sql.String(), count: "SELECT count(*) " + sql.String(), args: args, counted: l.Search != ""}
	if l.Search == "" && !filtersBeyondTallies(l) {
		c.count, c.counted = "SELECT coalesce(sum(m.n), 0) FROM memory_tallies m"+where, true
	}
	return c
}

// tallied returns the conditions that memories and their tallies have in common.
func tallied(l records.MemoryList, agent string, args pgx.NamedArgs) string {
	where := " WHERE true"
	if agent != "" {
		where += " AND m.agent_id = " + agent
	}
	if l.State == "" {
		where += " AND m.state <> 'deleted'"
	} else {
		args["state"] = string(l.State)
		where += " AND m.state = @state"
	}
	if l.Type != "" {
		args["type"] = string(l.Type)
		where += " AND m.type = @type"
	}
	return where
}

// filtersBeyondTallies says whether the list leaves out what only the memories themselves tell.
func filtersBeyondTallies(l records.MemoryList) bool {
	return l.Stale || l.Flagged || l.NotRemoved || l.Session != "" || l.Name != "" || l.Scope != ""
}

// byIndexAlone reports whether the search index decides which memories belong to the list, apart from the trash.
func byIndexAlone(l records.MemoryList, query search.Query) bool {
	return l.Sort == byRank && l.Type == "" && l.State == "" && !filtersBeyondTallies(l) && len(query.Phrases()) == 0
}

// searchAlone is the condition of a list for which byIndexAlone is true. It reads no other row of memories, which would cost
// more than the search.
func searchAlone(agent string) string {
	trash := "SELECT d.id FROM memories d WHERE d.state = 'deleted'"
	if agent != "" {
		trash += " AND d.agent_id = " + agent
	}
	return "FROM memory_search s WHERE s.words @@ @match::tsquery AND s.memory_id NOT IN (" + trash + ")"
}
