package dbconv_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/postgres/internal/dbconv"
)

func TestRegisterUUID_ReadsBinary(t *testing.T) {
	types := pgtype.NewMap()
	dbconv.RegisterUUID(types)
	want := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	sent, err := types.Encode(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, want, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []uuid.UUID
	if err := types.Scan(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, sent, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v, want %v", got, err, want)
	}
	var one uuid.UUID
	plan := types.PlanScan(pgtype.UUIDOID, pgtype.BinaryFormatCode, &one)
	if n := testing.AllocsPerRun(10, func() { err = plan.Scan(want[0][:], &one) }); n > 0 || err != nil || one != want[0] {
		t.Errorf("read %v, %v with %v allocations, want %v with none", one, err, n, want[0])
	}
}
