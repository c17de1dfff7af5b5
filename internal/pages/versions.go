package pages

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"memoir/internal/memories"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/wording"
)

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

// originOf returns the origin of the newest file with a version in words.
func originOf(version records.Version) string {
	if len(version.Files) == 0 {
		return "a removed file"
	}
	return wording.OriginOf(version.Files[0].Session, version.Files[0].Path)
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
		From: originOf(version),
	}
	return nil
}

func disagreementRow(agent records.Agent, d records.Disagreement) templates.DisagreementRow {
	return templates.DisagreementRow{
		Agent: agent.Slug, ID: d.ID, Name: d.Name, Versions: d.Versions, Sessions: d.Sessions, HasPrimary: d.HasPrimary, Primary: d.Primary,
		NewestAt: shown.Local(d.NewestAt),
	}
}
