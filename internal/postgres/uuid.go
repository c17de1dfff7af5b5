package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// registerUUIDs makes a connection read ids as the 16 bytes that they are sent as. Without it each is written out as text
// and parsed again, for the type that our ids have knows nothing of pgx: half of the time that reading a list of thousands
// takes.
func registerUUIDs(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
	return nil
}

type uuidCodec struct{ pgtype.UUIDCodec }

func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ours := target.(*uuid.UUID); ours && format == pgtype.BinaryFormatCode {
		return scanUUID{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type scanUUID struct{}

func (scanUUID) Scan(src []byte, target any) error {
	id := target.(*uuid.UUID)
	if len(src) != len(id) {
		return fmt.Errorf("an id of %d bytes, or none, where there must be one", len(src))
	}
	copy(id[:], src)
	return nil
}
