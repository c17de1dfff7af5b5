// Package db holds Memoir's schema and the queries that sqlc turns into Go. It only embeds the files;
// internal/postgres applies them.
package db

import "embed"

// Schema makes the tables of a new database.
//
//go:embed schema.sql
var Schema string

// Migrations bring a database that an earlier version made to Schema, one step a file:
// migrations/NNNN_name.sql. A step that was released is never changed.
//
//go:embed migrations/*.sql
var Migrations embed.FS
