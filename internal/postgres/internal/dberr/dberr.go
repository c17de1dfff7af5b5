// Package dberr translates errors of Postgres and of its connections into the errors of package
// memories.
package dberr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/memories"
)

// Wrap returns err with the text of doing before it, or nil if err is nil. For pgx.ErrNoRows it
// returns memories.ErrNotFound alone. If the connection has ended or cannot be opened, it adds
// memories.ErrUnavailable. It does not add that to context.Canceled and context.DeadlineExceeded.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return memories.ErrNotFound
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && isUnavailable(err) {
		return fmt.Errorf("%s: %w: %w", doing, memories.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// isUnavailable reports whether Postgres has ended or refused the connection, or the network has
// broken it. It returns false for other errors, such as a value that cannot be encoded.
func isUnavailable(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return EndsConnection(refused.Code)
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connecting) || pgconn.SafeToRetry(err) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// EndsConnection reports whether an SQLSTATE is of class 08 (connection exception), 53
// (insufficient resources) or 57 (operator intervention). Callers treat such an error as the loss
// of the connection.
func EndsConnection(code string) bool {
	return len(code) == 5 && (code[:2] == "08" || code[:2] == "53" || code[:2] == "57")
}
