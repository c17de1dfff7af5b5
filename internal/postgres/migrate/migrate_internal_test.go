package migrate

import (
	"errors"
	"testing"
)

func TestCheckServerVersion(t *testing.T) {
	t.Parallel()
	for version, refused := range map[int]bool{90624: true, 140012: true, 150000: false, 150018: false, 180001: false} {
		if err := checkServerVersion(version); errors.Is(err, ErrOldPostgres) != refused {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
