package reconcile

import "memoir/internal/records"

// knownState is all that reconcile knows besides the scan.
type KnownState struct {
	records.KnownState
	Sources []ScannedFile // of primary files that say something else than their memories
}
