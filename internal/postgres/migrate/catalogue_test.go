package migrate_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// catalogueQueries return one line for each object in the schema public, with all its properties.
var catalogueQueries = []string{
	`SELECT format('relation %s kind %s persistence %s options %s row security %s',
		relname, relkind, relpersistence, reloptions, relrowsecurity)
	FROM pg_class WHERE relnamespace = 'public'::regnamespace`,

	`SELECT format('column %s.%s at %s: %s not null %s collation %s identity %s generated %s default %s storage %s statistics %s',
		attrelid::regclass, attname, row_number() OVER (PARTITION BY attrelid ORDER BY attnum), format_type(atttypid, atttypmod), attnotnull, collname, attidentity,
		attgenerated, pg_get_expr(adbin, adrelid), attstorage, attstattarget)
	FROM pg_attribute
	JOIN pg_class ON pg_class.oid = attrelid AND relnamespace = 'public'::regnamespace
	LEFT JOIN pg_collation ON pg_collation.oid = attcollation
	LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
	WHERE attnum > 0 AND NOT attisdropped`,

	`SELECT format('constraint %s of %s: %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
	FROM pg_constraint WHERE connamespace = 'public'::regnamespace`,

	`SELECT format('index %s', pg_get_indexdef(indexrelid))
	FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid AND relnamespace = 'public'::regnamespace`,

	`SELECT format('view %s: %s', relname, pg_get_viewdef(oid))
	FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')`,

	`SELECT format('trigger %s', pg_get_triggerdef(pg_trigger.oid))
	FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid AND relnamespace = 'public'::regnamespace
	WHERE NOT tgisinternal`,

	`SELECT format('function %s', pg_get_functiondef(oid))
	FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')`,

	`SELECT format('type %s kind %s values %s', typname, typtype,
		(SELECT string_agg(enumlabel, ',' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = pg_type.oid))
	FROM pg_type WHERE typnamespace = 'public'::regnamespace`,

	`SELECT format('sequence %s from %s by %s', seqrelid::regclass, seqstart, seqincrement)
	FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid AND relnamespace = 'public'::regnamespace`,

	`SELECT format('policy %s of %s: %s %s', policyname, tablename, qual, with_check)
	FROM pg_policies WHERE schemaname = 'public'`,

	`SELECT format('extension %s', extname) FROM pg_extension`,

	`SELECT format('schema %s', nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%'`,
}

// catalogue returns one line for each object in the schema public, with its properties, so that two
// databases can be compared. It ends the test if there is none.
func catalogue(t *testing.T, conn *pgx.Conn) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, sql := range catalogueQueries {
		rows, err := conn.Query(context.Background(), sql)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
		for _, line := range lines {
			all[line] = true
		}
	}
	if len(all) == 0 {
		t.Fatal("the catalogue is empty")
	}
	return all
}
