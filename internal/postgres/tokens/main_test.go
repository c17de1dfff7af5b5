package tokens_test

import (
	"testing"

	"memoir/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
