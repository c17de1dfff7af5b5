//go:build !linux

package filestest

import (
	"errors"
	"testing"
)

func mount(*testing.T, string, int64) error { return errors.ErrUnsupported }
