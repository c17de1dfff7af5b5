// Package db holds Memoir's schema and the queries that sqlc turns into Go. It only embeds the
// files; internal/postgres applies them.
package db

import "embed"

// Schema creates the tables of a new database.
//
//go:embed schema.sql
var Schema string

// Base creates the tables of version 38, the oldest that Migrations upgrade.
//
//go:embed base.sql
var Base string

// Migrations upgrade a database of an earlier version to Schema, one step per file:
// migrations/NNNN_name.sql. A released step never changes.
//
//go:embed migrations/*.sql
var Migrations embed.FS
