package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	"memoir/web/templates/address"
)

// fix applies the fix that the form names to one file of a memory. It redirects to the page of the
// form, by default the memory's file, with the path and its old hash for an undo. If the file now
// holds another memory, there is no undo, and instead of the old memory it uses the other. After a
// conflict it shows the reason and the current memory.
func (s *site) fix(w http.ResponseWriter, r *http.Request) error {
	slug, id := kit.Slug(r), idOf(r)
	file := r.PostFormValue(address.FieldPath)
	result, err := s.engine.Fix(r.Context(), slug, id, r.PostFormValue(address.FieldETag), file, r.PostFormValue(address.FieldFix))
	if err != nil {
		return s.refuse(w, r, err)
	}
	to := kit.Back(r, address.MemoryFilePath(slug, id))
	notice := url.Values{kit.FieldDone: {doneFixed}, kit.FieldID: {result.Memory.ID}}
	if result.Memory.ID == id {
		notice.Set(address.FieldPath, file)
		notice.Set(address.FieldHash, r.PostFormValue(address.FieldHash))
	} else if to == address.MemoryFilePath(slug, id) {
		to = address.MemoryFilePath(slug, result.Memory.ID) // the file now holds another memory
	}
	return kit.RedirectWith(w, r, to, notice)
}

// undoPath returns path with the fixed file and the hash of its old content as parameters, so that
// the page can offer an undo.
func undoPath(path, file, hash string) string {
	return address.WithQuery(path, map[string]string{address.FieldPath: file, address.FieldHash: hash})
}

// undoFix writes back the content that a file had before a fix, and redirects to the page of the
// form, by default the memory's file. The query names the file and the hash of that content. After
// a conflict it shows the reason and the current memory.
func (s *site) undoFix(w http.ResponseWriter, r *http.Request) error {
	slug, id := kit.Slug(r), idOf(r)
	query := r.URL.Query()
	_, err := s.engine.UndoFix(r.Context(), slug, id, r.PostFormValue(address.FieldETag), query.Get(address.FieldPath), query.Get(address.FieldHash))
	if err != nil {
		return s.refuse(w, r, err)
	}
	return kit.Redirect(w, r, kit.Back(r, address.MemoryFilePath(slug, id)), doneUnfixed, id)
}

// canUndo reports whether a fix of the file can be undone. The memory must still have the file,
// with bytes of another hash, and the history must have the bytes with hash.
func (s *site) canUndo(ctx context.Context, agent records.Agent, m memories.Memory, file, hash string) (bool, error) {
	if !slices.ContainsFunc(m.Files, func(f memories.MemoryFile) bool { return f.Path == file && f.Hash != hash }) {
		return false, nil
	}
	raw, err := s.store.RawOfHash(ctx, agent, m.ID, hash)
	return raw != nil, err
}
