package dbconv

import (
	"github.com/jackc/pgx/v5/pgtype"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// RegisterUUID lets a connection send and read ids in binary. Otherwise they pass through text, because
// uuid.UUID implements the interfaces of database/sql, and long lists take twice as long.
func RegisterUUID(types *pgtype.Map) {
	pgxuuid.Register(types)
	types.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
}

type uuidCodec struct{ pgxuuid.UUIDCodec }

// PlanScan prefers the wrapper of a target to its sql.Scanner, which pgx would use.
func (c uuidCodec) PlanScan(types *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if plan, wrapped, ok := pgxuuid.TryWrapUUIDScanPlan(target); ok {
		plan.SetNext(c.UUIDCodec.PlanScan(types, oid, format, wrapped))
		return plan
	}
	return c.UUIDCodec.PlanScan(types, oid, format, target)
}
