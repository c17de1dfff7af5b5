package pages

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/sync"
	"memoir/web/templates"
)

const (
	// historyRevisions is how many revisions a page shows.
	historyRevisions = 10
	// revisionLines is how many lines of one revision are shown.
	revisionLines = 100
)

// history shows what a memory has said, newest first, each time against what it said before.
func (s *site) history(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	revisions, err := s.store.Revisions(r.Context(), agent, m.ID)
	if err != nil {
		return err
	}
	path := templates.MemoryPath(agent.Slug, m.ID, "history")
	notice, err := s.noticeOf(r.Context(), r, agent, path)
	if err != nil {
		return err
	}
	v := templates.History{
		Frame: templates.Frame{Live: liveOf(agent), Notice: notice}, Agent: agentView(agent), MemoryRow: rowOf(m, time.Now()),
		Total: len(revisions),
	}
	from := max(0, indexOfRevision(m, revisions, r.URL.Query().Get(templates.FieldCursor)))
	if from > 0 {
		v.FirstHref = path
	}
	if next := from + historyRevisions; next < len(revisions) {
		v.MoreHref = path + "?" + url.Values{templates.FieldCursor: {revisionID(m, revisions[next])}}.Encode()
	}
	for i := from; i < min(len(revisions), from+historyRevisions); i++ {
		var before *memories.Revision
		if i+1 < len(revisions) {
			before = &revisions[i+1]
		}
		v.Revisions = append(v.Revisions, revisionView(m, revisions[i], before))
	}
	return show(w, r, http.StatusOK, templates.HistoryPage(v))
}

// revisionView compares a revision with the one before it; nil: it is the first.
func revisionView(m memories.Memory, revision memories.Revision, before *memories.Revision) templates.Revision {
	v := templates.Revision{
		Memory: m.ID, Agent: m.Agent, ID: revisionID(m, revision), ETag: sync.ETag(m),
		SeenAt: local(revision.SeenAt), Path: revision.Path, Session: revision.Session,
		First: before == nil, Current: isCurrent(m, revision), Readable: m.Readable, Type: revision.Type,
	}
	v.Restorable = m.Readable && m.State != memories.Deleted && !v.Current
	if before == nil {
		before = &memories.Revision{Type: revision.Type}
	}
	v.TypeBefore = before.Type
	v.Description = diff.Texts(before.Description, revision.Description, revisionLines)
	v.Body = diff.Texts(before.Body, revision.Body, revisionLines)
	return v
}

// revisionID names a revision in an address. A memory has each content only once; one that could not be read has none,
// and is known by when it was seen.
func revisionID(m memories.Memory, r memories.Revision) string {
	if !m.Readable {
		return strconv.FormatInt(r.SeenAt.UnixNano(), 16)
	}
	fingerprint := memories.FingerprintOf(r.Type, r.Description, r.Body)
	return hex.EncodeToString(fingerprint[:])
}

// indexOfRevision returns where a revision stands, or -1. The journal knows it by the hash of its bytes.
func indexOfRevision(m memories.Memory, revisions []memories.Revision, id string) int {
	return slices.IndexFunc(revisions, func(r memories.Revision) bool { return revisionID(m, r) == id || id != "" && r.Hash == id })
}

// isCurrent says whether the memory says now what the revision says. One that could not be read is known by its bytes.
func isCurrent(m memories.Memory, r memories.Revision) bool {
	if !m.Readable {
		return r.Hash == m.Hash
	}
	return memories.FingerprintOf(r.Type, r.Description, r.Body) == m.Fingerprint
}

// text is what bytes say, for a page: what is no text is U+FFFD.
func text(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }
