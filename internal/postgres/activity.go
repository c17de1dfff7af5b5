package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/records"
)

// activityCursor is the time and the id of the last journal entry of a page.
type activityCursor struct {
	At time.Time
	ID int64
}

// activityOfEach reads one page of the journal. It reads the newest entries of each agent along the
// primary key, and looks up contents and memories only for the rows of the page. Its two verbs are
// further conditions on the entry, and the condition on the agent.
const activityOfEach = `
SELECT a.id, a.at, agents.slug, a.memory_id, m.id IS NOT NULL, a.name, a.kind, a.actor, a.path, a.session, a.state, a.type,
       r.description, r.hash, a.other_name, a.action, a.browser, a.person
FROM (
    SELECT found.*
    FROM agents
    CROSS JOIN LATERAL (SELECT * FROM activity a WHERE a.agent_id = agents.id %[1]s ORDER BY a.at DESC, a.id DESC LIMIT @most) found
    WHERE %[2]s
    ORDER BY found.at DESC, found.id DESC
    LIMIT @most
) a
JOIN agents ON agents.id = a.agent_id
LEFT JOIN memories m ON m.id = a.memory_id
LEFT JOIN revisions r ON r.id = a.revision_id
ORDER BY a.at DESC, a.id DESC`

// Activity returns one page of the journal entries that list selects, newest first. list.Name also
// selects renames from that name. It fails with records.ErrCursor if list.Cursor is not of this
// list, and with memories.ErrNotFound if list.MemoryID is malformed. If nothing matches, for
// example an unknown MemoryID, the page is empty.
func (s *Store) Activity(ctx context.Context, list records.ActivityList) (records.ActivityPage, error) {
	mark := paging.Mark("activity", list.AgentID, list.Kind, list.Actor, list.Session, list.Name, list.MemoryID)
	after, err := paging.Unseal[activityCursor](mark, list.Cursor)
	if err != nil {
		return records.ActivityPage{}, err
	}
	sql, args, err := activityQuery(list, after)
	if err != nil {
		return records.ActivityPage{}, err
	}
	rows, _ := s.pool.Query(ctx, sql, args) // CollectRows returns the error of Query
	page := records.ActivityPage{}
	page.Activity, err = pgx.CollectRows(rows, scanActivity)
	if err != nil {
		return records.ActivityPage{}, dberr.Wrap("read the journal", err)
	}
	page.Activity, page.NextCursor = paging.Cut(page.Activity, list.Limit, mark, func(last memories.Activity) activityCursor {
		return activityCursor{last.At, last.ID}
	})
	return page, nil
}

func activityQuery(l records.ActivityList, after *activityCursor) (string, pgx.NamedArgs, error) {
	args := pgx.NamedArgs{"most": l.Limit + 1}
	var where strings.Builder
	equal := func(column, value string) {
		if value != "" {
			args[column] = value
			fmt.Fprintf(&where, " AND a.%[1]s = @%[1]s", column)
		}
	}
	equal("kind", string(l.Kind))
	equal("actor", string(l.Actor))
	equal("session", l.Session)
	if l.Name != "" {
		args["name"] = l.Name
		where.WriteString(" AND (a.name = @name OR a.kind = 'renamed' AND a.other_name = @name)")
	}
	if l.MemoryID != "" {
		id, err := dbconv.ParseID(l.MemoryID)
		if err != nil {
			return "", nil, err
		}
		args["memory"] = id
		where.WriteString(" AND a.memory_id = @memory")
	}
	if after != nil {
		args["at"], args["id"] = after.At, after.ID
		where.WriteString(" AND (a.at, a.id) < (@at, @id)")
	}
	agent := "true"
	if l.AgentID != 0 {
		args["agent"] = l.AgentID
		agent = "agents.id = @agent"
	}
	return fmt.Sprintf(activityOfEach, where.String(), agent), args, nil
}

func scanActivity(row pgx.CollectableRow) (memories.Activity, error) {
	var a memories.Activity
	var memoryID *uuid.UUID
	var session, state, t, description, hash, renamed, action, browser, person *string
	err := row.Scan(&a.ID, &a.At, &a.Agent, &memoryID, &a.Exists, &a.Name, &a.Kind, &a.Actor, &a.Path, &session, &state, &t,
		&description, &hash, &renamed, &action, &browser, &person)
	if memoryID != nil {
		a.MemoryID = memoryID.String()
	}
	a.At = a.At.UTC()
	a.Session, a.State, a.Type = dbconv.OrZero(session), memories.State(dbconv.OrZero(state)), memories.Type(dbconv.OrZero(t))
	a.Description, a.Hash, a.Renamed = dbconv.OrZero(description), dbconv.OrZero(hash), dbconv.OrZero(renamed)
	a.Action, a.Browser, a.Person = dbconv.OrZero(action), dbconv.OrZero(browser), dbconv.OrZero(person)
	return a, err
}

// NewestChanges returns by agent id the latest modification time among the agent's readable
// memories outside the trash. Agents without such a memory have no entry.
func (s *Store) NewestChanges(ctx context.Context, agentIDs []int64) (map[int64]time.Time, error) {
	rows, err := s.q.NewestChanges(ctx, agentIDs)
	newest := make(map[int64]time.Time, len(rows))
	for _, row := range rows {
		newest[row.AgentID] = row.ModifiedAt.UTC()
	}
	return newest, dberr.Wrap("read the newest changes", err)
}
