package postgres

import (
	"encoding/base64"
	"errors"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"memoir/internal/postgres/internal/paging"
	"memoir/internal/records"
)

func TestCursor_OfOneList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := place{Key: rapid.String().Draw(t, "key"), ID: uuid.UUID{1}, Near: rapid.Bool().Draw(t, "near")}
		list := rapid.String().Draw(t, "list")
		cursor := paging.Seal(list, at)
		if back, err := paging.Unseal[place](list, cursor); err != nil || *back != at {
			t.Fatalf("%+v came back as %+v, %v", at, back, err)
		}
		if _, err := paging.Unseal[place](list+"'", cursor); !errors.Is(err, records.ErrCursor) {
			t.Fatalf("another list takes it: %v", err)
		}
	})
}

func TestCursor_Forged(t *testing.T) {
	t.Parallel()
	for _, forged := range []string{"", "{}", "null", "[]", "{", `{"List":"list","At":{"Key":5}}`, `{"list":"other","at":{"key":"a"}}`} {
		if at, err := paging.Unseal[place]("list", "A"+base64.RawURLEncoding.EncodeToString([]byte(forged))); !errors.Is(err, records.ErrCursor) {
			t.Errorf("%q is read as %+v, %v", forged, at, err)
		}
	}
	for cast, keys := range map[string][]string{
		"timestamptz": {"", "now", "infinity", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+01:00", "2026-01-01"},
		"real":        {"", "NaN", "Infinity", "-inf", "1e400", "0x1p-2", "1_0", " 1"},
		"text":        {"\x00", "a\xff"},
	} {
		for _, key := range keys {
			if canBeKey(key, cast) {
				t.Errorf("%q would go to Postgres as %s", key, cast)
			}
		}
	}
}
