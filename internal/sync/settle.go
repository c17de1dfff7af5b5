package sync

import (
	"time"

	"memoir/internal/agents"
)

// settled is how long after directories have come or gone everything is looked at. Events are hints, and the system may
// drop one meanwhile; what it dropped is found then, and not only by the next scan.
const settled = 2 * time.Second

// settle plans the look at everything that follows a burst of changes.
func (h *hold) settle() {
	slug := h.onDisk.Slug
	if h.settling == nil {
		h.settling = time.AfterFunc(settled, func() { h.queue.Add(slug, ".") })
		return
	}
	h.settling.Reset(settled)
}

// lookAtLinks lets the links be looked at that a change elsewhere may have mended or broken.
func (h *hold) lookAtLinks(scope []string) {
	for link := range h.links {
		if !isIn(scope, link) {
			h.queue.Add(h.onDisk.Slug, link)
		}
	}
}

// rememberLinks keeps which links the scope has.
func (h *hold) rememberLinks(listing agents.Listing, scope []string) {
	if h.links == nil {
		h.links = map[string]struct{}{}
	}
	for link := range h.links {
		if isIn(scope, link) {
			delete(h.links, link)
		}
	}
	for _, link := range listing.Links {
		h.links[link] = struct{}{}
	}
}
