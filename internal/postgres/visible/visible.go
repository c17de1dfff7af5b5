// Package visible enforces in one place which agents a request may read. It is a pool of
// connections to Postgres. Statements for a request that may not see every agent use connections on
// which each table of agents' data is hidden by a view of the same name, with the rows of the
// visible agents only. So a query cannot forget the check, and other requests pay nothing for it.
//
// The views are temporary: they belong to the connection, and Postgres finds them before the tables.
// Writes go through them too. A connection whose agents could not be set shows no rows.
package visible

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/access"
)

const (
	// maxRestricted is the maximum number of connections for requests that may not see every agent
	// (arbitrary).
	maxRestricted = 6
	// refreshInterval is how long a connection uses the ids of the visible agents (arbitrary). A new
	// agent whose slug matches is invisible until then.
	refreshInterval = time.Second
)

// Pool is a pool of connections. It has only the methods that choose connections by the grant of
// ctx, so that no statement goes around it. It is safe for concurrent use.
type Pool struct{ all, some *pgxpool.Pool }

// New returns the pool of a database. It opens no connection yet. The caller must call Close.
func New(ctx context.Context, config *pgxpool.Config) (*Pool, error) {
	restricted := config.Copy()
	restricted.MaxConns, restricted.MinConns, restricted.MinIdleConns = maxRestricted, 0, 0
	prepare := config.AfterConnect
	restricted.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if prepare != nil {
			if err := prepare(ctx, conn); err != nil {
				return err
			}
		}
		return Restrict(ctx, conn)
	}
	restricted.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		err := show(ctx, conn, access.Of(ctx))
		return err == nil, err
	}
	all, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	some, err := pgxpool.NewWithConfig(ctx, restricted)
	if err != nil {
		all.Close()
		return nil, err
	}
	return &Pool{all, some}, nil
}

// of returns the connections for the request of ctx.
func (p *Pool) of(ctx context.Context) *pgxpool.Pool {
	if access.Of(ctx).SeesAll() {
		return p.all
	}
	return p.some
}

// Exec is pgxpool.Pool.Exec.
func (p *Pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return p.of(ctx).Exec(ctx, sql, args...)
}

// Query is pgxpool.Pool.Query.
func (p *Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.of(ctx).Query(ctx, sql, args...)
}

// QueryRow is pgxpool.Pool.QueryRow.
func (p *Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return p.of(ctx).QueryRow(ctx, sql, args...)
}

// SendBatch is pgxpool.Pool.SendBatch.
func (p *Pool) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	return p.of(ctx).SendBatch(ctx, batch)
}

// CopyFrom is pgxpool.Pool.CopyFrom. It fails for a request that may not see every agent, because
// Postgres does not copy into views.
func (p *Pool) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	return p.of(ctx).CopyFrom(ctx, table, columns, rows)
}

// Begin is pgxpool.Pool.Begin.
func (p *Pool) Begin(ctx context.Context) (pgx.Tx, error) { return p.of(ctx).Begin(ctx) }

// BeginTx is pgxpool.Pool.BeginTx.
func (p *Pool) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	return p.of(ctx).BeginTx(ctx, options)
}

// Acquire is pgxpool.Pool.Acquire.
func (p *Pool) Acquire(ctx context.Context) (*pgxpool.Conn, error) { return p.of(ctx).Acquire(ctx) }

// Ping is pgxpool.Pool.Ping. It does not need the visible agents.
func (p *Pool) Ping(ctx context.Context) error { return p.all.Ping(ctx) }

// Unrestricted returns the connections that see all agents, for background jobs.
func (p *Pool) Unrestricted() *pgxpool.Pool { return p.all }

// Close waits until all connections are returned, and closes them.
func (p *Pool) Close() {
	p.some.Close()
	p.all.Close()
}

// setting is the setting of a session with the ids of the visible agents.
const setting = "memoir.agents"

// isVisible is the condition that the column of an agent's id is one of the visible agents. Without
// the setting it is NULL.
func isVisible(column string) string {
	return column + " = ANY (nullif(current_setting('" + setting + "', true), '')::bigint[])"
}

// hidden are tables of which restricted requests see no row.
var hidden = []string{"principals", "sign_ins"}

// common are the tables with no data of a single agent, which restricted requests see as they are.
// Each other table must have an agent_id or a memory_id.
var common = []string{
	"embedding_models", "embedding_tokens", "embeddings", // vectors, found by the id in memory_embeddings
	"search_words",                                                                                                                           // widen a search, and are never shown
	"river_client", "river_client_queue", "river_job", "river_leader", "river_migration", "river_notification", "river_queue", "job_servers", // read by agent only
	"memoir_migrations",
}

// Restrict hides the tables of a connection by views. Until the visible agents are set, they have no
// rows. It fails if a table is new and has no column that says whose it is.
func Restrict(ctx context.Context, conn *pgx.Conn) error {
	rows, _ := conn.Query(ctx, `SELECT c.relname,
			EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'agent_id' AND NOT a.attisdropped),
			EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'memory_id' AND NOT a.attisdropped),
			quote_ident(current_schema())
		FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`)
	var views strings.Builder
	var table, schema string
	var hasAgent, hasMemory bool
	_, err := pgx.ForEachRow(rows, []any{&table, &hasAgent, &hasMemory, &schema}, func() error {
		condition := ""
		switch {
		case slices.Contains(common, table):
			return nil
		case slices.Contains(hidden, table):
			condition = "false"
		case table == "agents":
			condition = isVisible("t.id")
		case hasAgent:
			condition = isVisible("t.agent_id")
		case hasMemory:
			condition = "EXISTS (SELECT FROM " + schema + ".memories m WHERE m.id = t.memory_id AND " + isVisible("m.agent_id") + ")"
		default:
			return fmt.Errorf("table %s does not say whose data it has", table)
		}
		name := pgx.Identifier{table}.Sanitize()
		fmt.Fprintf(&views, "CREATE TEMP VIEW %s AS SELECT t.* FROM %s.%s t WHERE %s;\n", name, schema, name, condition)
		return nil
	})
	if err != nil {
		return fmt.Errorf("restrict a connection: %w", err)
	}
	if _, err := conn.Exec(ctx, views.String()); err != nil {
		return fmt.Errorf("restrict a connection: %w", err)
	}
	conn.PgConn().CustomData()[tableKey] = schema + ".agents"
	return nil
}

// tableKey is the key of the table of agents in the data of a connection.
const tableKey = "memoir.agents-table"

// shown is what the views of a connection show.
type shown struct {
	agents string
	at     time.Time
}

// show sets the agents that the views of conn show: those of the grant, and those whose memories all
// agents share. It asks Postgres only if they are others than the last time, or that is long ago.
func show(ctx context.Context, conn *pgx.Conn, grant access.Grant) error {
	data := conn.PgConn().CustomData()
	agents := strings.Join(grant.Agents, " ")
	if last, ok := data[setting].(shown); ok && last.agents == agents && time.Since(last.at) < refreshInterval {
		return nil
	}
	delete(data, setting)
	patterns := make([]string, len(grant.Agents))
	for i, pattern := range grant.Agents {
		patterns[i] = likePattern.Replace(pattern)
	}
	// The name has the schema, because a view hides the table.
	agentsTable, _ := data[tableKey].(string)
	_, err := conn.Exec(ctx, `SELECT set_config('`+setting+`',
		(SELECT coalesce(array_agg(id), '{}')::text FROM `+agentsTable+` WHERE slug LIKE ANY ($1::text[]) OR layout = 'shared'), false)`, patterns)
	if err != nil {
		return fmt.Errorf("show the visible agents: %w", err)
	}
	data[setting] = shown{agents, time.Now()}
	return nil
}

// likePattern turns a pattern of access.Grant into one of LIKE.
var likePattern = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%")
