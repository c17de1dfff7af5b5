// Package exchangepages serves the page on which people export and import memories. A file that was
// sent is kept in the temporary directory until it is imported, for an hour at most.
package exchangepages

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/exchange"
	"memoir/internal/exchange/formats"
	"memoir/internal/findings/quarantine"
	"memoir/internal/importer"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

const (
	// maxFile limits a file, in bytes. Larger ones are for the command line. Arbitrary.
	maxFile = 256 << 20
	// sendTime is how long a browser may take to send it. Arbitrary.
	sendTime = 30 * time.Minute
	// maxHeld and holdTime limit the files that wait for a decision. Arbitrary.
	maxHeld  = 8
	holdTime = time.Hour
	// maxItems and maxSkipped limit the lines of a report. Arbitrary.
	maxItems   = 200
	maxSkipped = 20
)

// Store reads agents, and runs changes that do not end with their request.
type Store interface {
	kit.Store
	AgentsUncounted(ctx context.Context) ([]records.Agent, error)
}

// Pages serves the page. It is safe for concurrent use.
type Pages struct {
	kit      *kit.Kit
	store    Store
	importer *importer.Importer

	mu   sync.Mutex
	held map[string]heldFile
}

// heldFile is a file that was sent. Its name is removed already, so that it goes with the handle.
type heldFile struct {
	*os.File
	name string
	size int64
	at   time.Time
}

// Register adds the page and its forms to the router. Without an importer, imports are refused.
func Register(r chi.Router, k *kit.Kit, store Store, im *importer.Importer) {
	p := &Pages{kit: k, store: store, importer: im, held: map[string]heldFile{}}
	r.Get(address.ExchangePath, k.Page(p.show))
	r.Post(address.ExchangePath, p.preview)
	r.Post(address.ExchangeApplyPath, k.Action(p.apply))
	r.Get(address.ExchangeApplyPath, http.RedirectHandler(address.ExchangePath, http.StatusSeeOther).ServeHTTP)
}

func (p *Pages) show(w http.ResponseWriter, r *http.Request) error { return p.render(w, r, nil) }

func (p *Pages) render(w http.ResponseWriter, r *http.Request, report *templates.ImportReport) error {
	all, err := p.store.AgentsUncounted(r.Context())
	if err != nil {
		return err
	}
	v := templates.Exchange{Import: report}
	for _, a := range all {
		if a.JoinedTo == "" {
			v.Agents = append(v.Agents, a.Slug)
		}
	}
	return kit.Show(w, r, http.StatusOK, templates.ExchangePage(v))
}

// preview keeps the file of a form, and shows what its import would change.
func (p *Pages) preview(w http.ResponseWriter, r *http.Request) {
	file, into, err := receive(w, r)
	if err != nil {
		p.kit.Fail(w, r, err)
		return
	}
	id := p.hold(file)
	report, err := p.run(r.Context(), file, into, false)
	if err != nil {
		p.take(id)
		file.Close() //nolint:errcheck // temporary
		p.kit.Fail(w, r, err)
		return
	}
	report.Held = id
	if err := p.render(w, r, &report); err != nil {
		p.kit.Fail(w, r, err)
	}
}

// receive returns the file and the agent of a form.
func receive(w http.ResponseWriter, r *http.Request) (file heldFile, into string, err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(sendTime)) // fails for a test's recorder
	r.Body = http.MaxBytesReader(w, r.Body, maxFile)
	parts, err := r.MultipartReader()
	if err != nil {
		return file, "", kit.Malformed("The form has no file.")
	}
	defer func() {
		if err != nil && file.File != nil {
			file.Close() //nolint:errcheck // temporary
		}
	}()
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return file, "", formError(err)
		}
		switch part.FormName() {
		case address.FieldInto:
			slug, err := io.ReadAll(io.LimitReader(part, 1<<10))
			if err != nil {
				return file, "", formError(err)
			}
			into = string(slug)
		case address.FieldUpload:
			if file.File != nil {
				return file, "", kit.Malformed("The form has several files.")
			}
			if file.File, err = os.CreateTemp("", "memoir-import-*"); err != nil {
				return file, "", err
			}
			if err := os.Remove(file.File.Name()); err != nil {
				return file, "", err
			}
			file.name, file.at = filepath.Base(part.FileName()), time.Now()
			if file.size, err = io.Copy(file.File, part); err != nil {
				return file, "", formError(err)
			}
		}
	}
	if file.size == 0 {
		return file, "", kit.Malformed("Choose a file first.")
	}
	return file, into, nil
}

func formError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &kit.BadRequest{Status: http.StatusRequestEntityTooLarge, Detail: "The file is larger than 256 MiB. Use memoir import."}
	}
	return kit.Malformed("The form is incomplete.")
}

// hold keeps a file, and returns its id. It closes files that are held for too long, and the oldest
// if there are too many.
func (p *Pages) hold(file heldFile) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, oldest := rand.Text(), ""
	p.held[id] = file
	for other, f := range p.held {
		if time.Since(f.at) > holdTime {
			f.Close() //nolint:errcheck // temporary
			delete(p.held, other)
		} else if oldest == "" || f.at.Before(p.held[oldest].at) {
			oldest = other
		}
	}
	if len(p.held) > maxHeld {
		p.held[oldest].Close() //nolint:errcheck // temporary
		delete(p.held, oldest)
	}
	return id
}

// take returns a held file, which is the caller's from now on.
func (p *Pages) take(id string) (heldFile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	file, ok := p.held[id]
	delete(p.held, id)
	return file, ok
}

// apply imports a held file, and shows the result.
func (p *Pages) apply(w http.ResponseWriter, r *http.Request) error {
	file, ok := p.take(r.PostFormValue(address.FieldHeld))
	if !ok {
		return &memories.ConflictError{Reason: "The file is no longer held. Nothing was changed. Choose it again."}
	}
	defer file.Close() //nolint:errcheck // temporary
	report, err := p.run(r.Context(), file, r.PostFormValue(address.FieldInto), true)
	if err != nil {
		return err
	}
	return p.render(w, r, &report)
}

func (p *Pages) run(ctx context.Context, file heldFile, into string, apply bool) (templates.ImportReport, error) {
	v := templates.ImportReport{File: file.name, Into: into}
	if p.importer == nil {
		return v, &memories.ConflictError{Reason: "This server has no imports."}
	}
	read, err := importer.Read(file, file.size, formats.Options{Name: file.name, Now: time.Now()})
	if err != nil {
		return v, err
	}
	report, err := p.importer.Import(ctx, importer.Request{Agents: read.Agents, Into: into, Apply: apply})
	if err != nil {
		return v, err
	}
	for _, a := range report.Agents {
		v.Agents = append(v.Agents, agentOf(a))
	}
	for i, s := range read.Skipped {
		if i == maxSkipped {
			v.Skipped = append(v.Skipped, "…")
			break
		}
		v.Skipped = append(v.Skipped, "Skipped "+s.Path+": "+s.Reason)
	}
	return v, nil
}

// labels are the words for the outcomes, in the order of the page.
var labels = []struct {
	outcome exchange.Outcome
	label   string
	changes bool
}{
	{exchange.New, "new", true},
	{exchange.Changed, "changed", true},
	{exchange.Deleted, "deleted", true},
	{exchange.Conflict, "in conflict", true},
	{exchange.Pending, "waiting for a decision", false},
	{exchange.Failed, "failed", false},
	{exchange.Tombstoned, "deleted here", false},
	{exchange.Newer, "newer here", false},
	{exchange.Same, "the same", false},
}

func agentOf(a importer.AgentReport) templates.ImportAgent {
	v := templates.ImportAgent{From: a.From, Slug: a.Slug, IsNew: a.Creates, Problem: a.Problem, Conflicts: a.Counts[exchange.Conflict], Changes: a.History}
	for _, l := range labels {
		n := a.Counts[l.outcome]
		if n > 0 {
			v.Counts = append(v.Counts, templates.ImportCount{Label: l.label, N: n})
		}
		if l.changes {
			v.Changes += n
		}
	}
	if a.History > 0 {
		v.Counts = append(v.Counts, templates.ImportCount{Label: "with more history", N: a.History})
	}
	for i, item := range a.Items {
		if i == maxItems {
			v.More = len(a.Items) - maxItems
			break
		}
		v.Items = append(v.Items, templates.ImportItem{Name: quarantine.MaskSecrets(item.Name), Outcome: string(item.Outcome), Reason: capitalised(item.Reason)})
	}
	return v
}

func capitalised(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
