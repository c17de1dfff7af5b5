package pages

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/agents"
	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// maxVersionLines is the maximum number of lines shown of one version (arbitrary).
const maxVersionLines = 200

// versions shows the different contents of a memory's files next to each other, the memory's
// current content first. It changes nothing.
func (s *site) versions(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	found, err := s.store.Versions(r.Context(), m)
	if err != nil {
		return err
	}
	disagreement, err := s.store.Disagreement(r.Context(), m)
	if err != nil {
		return err
	}
	notice, err := s.noticeOf(r, agent, templates.MemoryPath(agent.Slug, m.ID, "versions"))
	if err != nil {
		return err
	}
	v := templates.Versions{
		Frame: templates.Frame{Live: liveOf(agent), Notice: notice}, Agent: agentView(agent), MemoryRow: rowOf(m, time.Now()),
		Settled: disagreement == nil,
	}
	if disagreement != nil {
		v.Primary = disagreement.Primary
	}
	for _, version := range withContentFirst(m, found) {
		if err := r.Context().Err(); err != nil {
			return err
		}
		view := versionView(m, version)
		view.Removes = primariesBesides(found, version)
		v.Versions = append(v.Versions, view)
	}
	return show(w, r, http.StatusOK, templates.VersionsPage(v))
}

// primariesBesides returns the paths of the agent's own files (not those of sessions) whose content
// is not version. all has the different contents with their files. It returns nil without such
// files.
func primariesBesides(all []records.Version, version records.Version) (paths []string) {
	for _, other := range all {
		for _, f := range other.Files {
			if other.Fingerprint != version.Fingerprint && f.Session == "" {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths
}

// disagreementAbout returns the conflict of a memory's files. It returns nil if the memory is
// deleted or has no conflict. A conflict is a session's file that is newer than the agent's own
// files and differs, or own files that differ.
func (s *site) disagreementAbout(ctx context.Context, agent records.Agent, m memories.Memory) (*templates.DisagreementRow, error) {
	if m.State == memories.Deleted {
		return nil, nil
	}
	found, err := s.store.Disagreement(ctx, m)
	if err != nil || found == nil {
		return nil, err
	}
	row := disagreementRow(agent, *found)
	return &row, nil
}

// withContentFirst returns the versions, which are different contents of the memory's files, with
// the memory's current content first. If no file has that content, it adds it as a version without
// files. It does not change found.
func withContentFirst(m memories.Memory, found []records.Version) []records.Version {
	i := slices.IndexFunc(found, func(v records.Version) bool { return v.Current })
	content := records.Version{Fingerprint: m.Fingerprint, Type: m.Type, Description: m.Description, Body: m.Body, Current: true}
	if i >= 0 {
		content = found[i]
		found = slices.Delete(slices.Clone(found), i, i+1)
	}
	return append([]records.Version{content}, found...)
}

func versionView(m memories.Memory, version records.Version) templates.Version {
	v := templates.Version{
		Agent: m.Agent, Memory: m.ID, ETag: engine.ETag(m), ID: hex.EncodeToString(version.Fingerprint[:]), Current: version.Current,
		TypeBefore: m.Type, Type: version.Type,
	}
	if version.Current {
		v.Description, v.Body = plainText(version.Description), plainText(version.Body)
	} else {
		v.Description = maskedDiff(m.Description, version.Description, maxVersionLines)
		v.Body = maskedDiff(m.Body, version.Body, maxVersionLines)
	}
	for _, f := range version.Files {
		session := agents.ParseSession(f.Session)
		v.Files = append(v.Files, templates.VersionFile{
			Path: f.Path, Session: f.Session, User: session.User, Channel: session.Channel, ThreadAt: local(session.Thread), NewAt: local(f.ContentAt),
		})
	}
	return v
}

// plainText returns text as a diff without changes, cut to approximately maxVersionLines lines.
func plainText(text string) diff.Diff {
	all := maskedDiff("", text, maxVersionLines)
	for i := range all.Hunks {
		for j := range all.Hunks[i].Lines {
			all.Hunks[i].Lines[j].Kind = diff.Same
		}
	}
	return all
}

// keepVersion makes the content that the address names the memory's content. It writes it to one of
// the agent's own files and removes the other own files that differ. It then redirects to the page
// of the form, by default the versions. For an unknown content it returns memories.ErrNotFound.
// After a conflict it shows the reason and the current memory.
func (s *site) keepVersion(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	if _, err := s.engine.Keep(r.Context(), agent.Slug, m.ID, r.PostFormValue(templates.FieldETag), chi.URLParam(r, "version")); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(agent.Slug, m.ID, "versions")), doneKept, m.ID)
}

// versionOf returns the version whose fingerprint is id, in hexadecimal digits. A version is a
// distinct content: of one or more of the memory's files, or the current one. It returns
// memories.ErrNotFound if no version has the id.
func (s *site) versionOf(ctx context.Context, m memories.Memory, id string) (records.Version, error) {
	found, err := s.store.Versions(ctx, m)
	if err != nil {
		return records.Version{}, err
	}
	for _, version := range withContentFirst(m, found) {
		if hex.EncodeToString(version.Fingerprint[:]) == id {
			return version, nil
		}
	}
	return records.Version{}, memories.ErrNotFound
}

// besideVersion sets v.Theirs to the version v.With, a content of the memory's files that the form
// merges. It does nothing if v.With or v.ID is empty, v.Theirs is set, or no such version exists.
// It returns memories.ErrNotFound for an unknown memory.
func (s *site) besideVersion(ctx context.Context, agent records.Agent, v *templates.MemoryForm) error {
	if v.With == "" || v.ID == "" || v.Theirs != nil {
		return nil
	}
	m, err := s.store.Memory(ctx, agent, v.ID)
	if err != nil {
		return err
	}
	version, err := s.versionOf(ctx, m, v.With)
	if errors.Is(err, memories.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Theirs = &templates.Theirs{
		ID: m.ID, Name: m.Name, Type: version.Type, Description: version.Description, Body: version.Body,
		From: versionView(m, version).From(),
	}
	return nil
}
