package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Outline is one page of a list without what its memories say. It is read in half of the time that the page takes.
type Outline struct {
	Memories        []Outlined
	Total           int    // of the whole list
	NextCursor      string // empty: this is the end
	ClaudeMDProblem string // what is wrong with the agent's CLAUDE.md
	Seen            Snapshot
}

// Outlined is one memory of an outline.
type Outlined struct {
	ID    uuid.UUID
	Stamp Stamp
}

// Stamp tells what a list shows of a memory from what it showed before: while it is the same, so are the memory, what it says and
// the files that carry it. It is made of the transactions that wrote their rows. Their numbers come again after 2³² others, and may
// when Postgres has been started anew, which Snapshot.SameRun tells.
type Stamp string

// stampOf puts the stamp together of what wrote the row of a memory, and those of its files on disk.
func stampOf(memory uint32, files []uint32) Stamp {
	slices.Sort(files)
	all := strconv.AppendUint(nil, uint64(memory), 36)
	for _, file := range files {
		all = strconv.AppendUint(append(all, ' '), uint64(file), 36)
	}
	return Stamp(all)
}

// ErrOvertaken says that something was written while it was read.
var ErrOvertaken = errors.New("something was written meanwhile")

// OutlineOf is MemoriesOf without what the memories say, for a list without a search. The outline is empty where there is no such
// agent as well.
func (s *Store) OutlineOf(ctx context.Context, slug string, list List) (outline Outline, err error) {
	const doing = "outline a list"
	of := scope{slug: slug}
	list, mark, after, err := list.begun(of)
	if err != nil {
		return Outline{}, err
	}
	c := list.conditions(of, search{})
	rows, said, seen, err := outlineRows(ctx, s.pool, list, c, after)
	if err != nil || len(rows) == 0 {
		return Outline{}, wrap(doing, err)
	}
	outline.Seen, outline.ClaudeMDProblem = seen, text(said.claudeMDProblem)
	if outline.Total, err = c.total(ctx, s.pool, list, after, len(rows), said); err != nil {
		return Outline{}, wrap(doing, err)
	}
	if len(rows) > list.Limit {
		rows = rows[:list.Limit]
		last := rows[list.Limit-1].head
		outline.NextCursor = seal(mark, place{Key: orders[list.Sort].key(last, 0), ID: last.ID})
	}
	outline.Memories = make([]Outlined, len(rows))
	for i, row := range rows {
		outline.Memories[i] = Outlined{row.head.ID, stampOf(row.writtenBy, row.filesBy)}
	}
	return outline, nil
}

type outlineRow struct {
	head      queries.Memory // its id, and what it has its place in the order by
	writtenBy uint32
	filesBy   []uint32 // of each file that carries it
}

// outlineRows reads one page of a list in the order of its sort, one memory more than it shows, and what is told of all of it.
// Postgres sends a row for each file of a memory, which takes it less than to put them together.
func outlineRows(ctx context.Context, on reader, l List, c conditions, after *place) (memories []outlineRow, said whole, seen Snapshot, err error) {
	by := orders[l.Sort]
	total, claudeMDProblem := c.whole()
	rows, err := on.Query(ctx, fmt.Sprintf(`SELECT m.*, f.xmin, %s, %s, (%s)
		FROM (%s) m LEFT JOIN files f ON f.memory_id = m.id AND f.present ORDER BY %s`, total, claudeMDProblem, whatIsSeen,
		by.page("m.id, "+by.expression+", m.xmin AS written_by", c, l, after), by.by()), c.args)
	if err != nil {
		return nil, whole{}, "", err
	}
	defer rows.Close()
	var row outlineRow
	var file pgtype.Uint32
	into := []any{&row.head.ID, by.column(&row.head), &row.writtenBy, &file, &said.total, &said.claudeMDProblem, &seen}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, whole{}, "", err
		}
		if n := len(memories); n == 0 {
			into[4], into[5], into[6] = nil, nil, nil // which are the same in all rows
			memories = append(make([]outlineRow, 0, l.Limit+1), row)
		} else if memories[n-1].head.ID != row.head.ID {
			memories = append(memories, row)
		}
		if of := &memories[len(memories)-1]; file.Valid {
			of.filesBy = append(of.filesBy, file.Uint32)
		}
	}
	return memories, said, seen, rows.Err()
}

// Comparable says whether the stamps of the outlines can be compared, and what is told of the agent beside each memory is the same.
func (o Outline) Comparable(other Outline) bool {
	return o.Seen.SameRun(other.Seen) && o.ClaudeMDProblem == other.ClaudeMDProblem
}

// Equal says whether both are the outlines of the same page, on which nothing has changed.
func (o Outline) Equal(other Outline) bool {
	return o.Comparable(other) && o.Total == other.Total && o.NextCursor == other.NextCursor && slices.Equal(o.Memories, other.Memories)
}

// MemoriesIn returns what the agent's memories say that are on an outline. It fails with ErrOvertaken where one has changed since.
func (s *Store) MemoriesIn(ctx context.Context, slug string, wanted []Outlined) (map[Outlined]memories.Memory, error) {
	const doing = "read memories"
	ids := make([]uuid.UUID, len(wanted))
	for i, m := range wanted {
		ids[i] = m.ID
	}
	rows, err := s.pool.Query(ctx, `SELECT `+rowColumns+`, m.xmin, ARRAY(SELECT f.xmin FROM files f WHERE f.memory_id = m.id AND f.present)
		FROM memories m JOIN revisions r ON r.id = m.revision_id WHERE m.id = ANY(ARRAY(SELECT unnest($1::uuid[])))`, ids)
	if err != nil {
		return nil, wrap(doing, err)
	}
	var as []Outlined
	read, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r listRow, err error) {
		var writtenBy uint32
		var filesBy []uint32
		err = row.Scan(r.columns(&writtenBy, &filesBy)...)
		as = append(as, Outlined{r.head.ID, stampOf(writtenBy, filesBy)})
		return r, err
	})
	if err != nil {
		return nil, wrap(doing, err)
	}
	found, err := complete(ctx, s.q, scope{slug: slug}, read)
	if err != nil {
		return nil, err
	}
	are := make(map[Outlined]memories.Memory, len(found))
	for i, m := range found {
		are[as[i]] = m
	}
	for _, m := range wanted {
		if _, ok := are[m]; !ok {
			return nil, ErrOvertaken
		}
	}
	return are, nil
}
