package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// registerUUIDs makes a connection encode ids as 16 bytes. As text, they take half of the time of
// reading a list of thousands, and a tenth of mirroring many files.
func registerUUIDs(_ context.Context, conn *pgx.Conn) error {
	id := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}}
	conn.TypeMap().RegisterType(id)
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "_uuid", OID: pgtype.UUIDArrayOID, Codec: &pgtype.ArrayCodec{ElementType: id}})
	return nil
}

type uuidCodec struct{ pgtype.UUIDCodec }

func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if format == pgtype.BinaryFormatCode {
		switch value.(type) {
		case uuid.UUID:
			return encodeUUID{}
		case *uuid.UUID: // pgx would find its own way to the id before it finds ours
			return encodeUUIDAt{}
		}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ours := target.(*uuid.UUID); ours && format == pgtype.BinaryFormatCode {
		return scanUUID{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type encodeUUID struct{}

func (encodeUUID) Encode(value any, buffer []byte) ([]byte, error) {
	id := value.(uuid.UUID)
	return append(buffer, id[:]...), nil
}

// encodeUUIDAt encodes a pointer to an id. pgx encodes nil itself.
type encodeUUIDAt struct{}

func (encodeUUIDAt) Encode(value any, buffer []byte) ([]byte, error) {
	return encodeUUID{}.Encode(*value.(*uuid.UUID), buffer)
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
