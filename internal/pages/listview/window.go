package listview

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"memoir/internal/records"
	"memoir/web/templates/address"
)

const (
	// GroupRows is how many rows of each group the Memory tab shows at first. It keeps the first view
	// of a large memory small.
	GroupRows = 25
	// pageRows is how many rows a page of one group shows (arbitrary).
	pageRows = 100
	// maxShownRows is the maximum number of rows of a group that an open page gets again.
	maxShownRows = 1100
)

// Window returns the rows that a page shows: those that the requesting page shows already, as its
// templates.RowsHeader says, else the page of the view, the rows around the open memory, or the first
// ones.
func Window(v address.View, list records.MemoryList, open, header string) records.MemoryWindow {
	window := records.MemoryWindow{Default: GroupRows, Anchor: open, Rows: shownRows(header)}
	if list.Part != 0 || list.Order != records.ByTypeOrder {
		window.Default = pageRows
	}
	window.Before, window.After = -(window.Default-1)/2, window.Default/2
	for part, rows := range window.Rows {
		if rows[0] == 1 {
			window.Rows[part] = [2]int{1, max(rows[1], window.Default)} // a new row must not push out the last one
		}
	}
	switch {
	case v.After != "":
		window.Anchor, window.IsPage, window.Before, window.After = v.After, true, 1, pageRows
	case v.Before != "":
		window.Anchor, window.IsPage, window.Before, window.After = v.Before, true, -pageRows, -1
	}
	return window
}

// shownRows returns the rows of each group in a header. It skips malformed entries.
func shownRows(header string) map[records.MemoryPart][2]int {
	shown := map[records.MemoryPart][2]int{}
	for group := range strings.SplitSeq(header, ",") {
		name, rows, _ := strings.Cut(strings.TrimSpace(group), "=")
		from, to, _ := strings.Cut(rows, "-")
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		part, ok := partOfKey(name)
		if ok && err1 == nil && err2 == nil && first >= 1 && last >= first && last <= math.MaxInt32 {
			shown[part] = [2]int{first, min(last, first+maxShownRows)}
		}
	}
	return shown
}

// Mark returns the value of templates.FieldAll for a list of n memories whose newest change was at
// changedAt.
func Mark(n int, changedAt time.Time) string { return fmt.Sprintf("%d %d", n, changedAt.UnixMicro()) }

// ParseMark returns the number of memories and their newest change in a Mark. They are zero if it is
// malformed.
func ParseMark(mark string) (n int, changedAt time.Time) {
	var micros int64
	if _, err := fmt.Sscanf(mark, "%d %d", &n, &micros); err != nil {
		return 0, time.Time{}
	}
	return n, time.UnixMicro(micros)
}
