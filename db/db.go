// Package db holds Memoir's schema: the truth in schema.sql, the migrations that lead to it, and the queries that sqlc
// turns into Go. It only embeds the files; internal/postgres applies them.
package db

import "embed"

// Migrations are the versioned steps from an empty database to Schema, as migrations/NNNN_name.sql. A step that was
// released is never changed.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// Schema is the whole schema as statements for an empty database.
//
//go:embed schema.sql
var Schema string
