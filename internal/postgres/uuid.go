package postgres

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// registerUUIDs has a connection carry uuid.UUID in its 16 bytes. pgx does not know the type and would take the way round by
// text, out and back: a tenth of all that mirroring many files takes of the processor.
func registerUUIDs(types *pgtype.Map) {
	id := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}}
	types.RegisterType(id)
	types.RegisterType(&pgtype.Type{Name: "_uuid", OID: pgtype.UUIDArrayOID, Codec: &pgtype.ArrayCodec{ElementType: id}})
}

type uuidCodec struct{ pgtype.UUIDCodec }

func (c uuidCodec) PlanEncode(types *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return encodeUUID{}
	}
	return c.UUIDCodec.PlanEncode(types, oid, format, value)
}

func (c uuidCodec) PlanScan(types *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return scanUUID{}
	}
	return c.UUIDCodec.PlanScan(types, oid, format, target)
}

type encodeUUID struct{}

func (encodeUUID) Encode(value any, buffer []byte) ([]byte, error) {
	id := value.(uuid.UUID)
	return append(buffer, id[:]...), nil
}

type scanUUID struct{}

func (scanUUID) Scan(source []byte, target any) error {
	id := target.(*uuid.UUID)
	if len(source) != len(id) {
		return fmt.Errorf("a uuid of %d bytes", len(source))
	}
	copy(id[:], source)
	return nil
}
