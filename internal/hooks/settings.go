package hooks

import (
	"encoding/json"
	"net/http"
)

// settings answers GET /hooks/settings with the facts that decide how the hooks are installed:
// whether a model chooses memories. Its choice may come with the answer to any tool's hook.
func (h *Hooks) settings(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct {
		Model bool `json:"model"`
	}{h.recaller.HasModel()}) // the client may have disconnected
}
