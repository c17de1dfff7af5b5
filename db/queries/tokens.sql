-- name: RetireExpired :exec
-- Revokes expired principals with that name or login, so that both can be used again.
UPDATE principals SET revoked_at = expires_at
WHERE revoked_at IS NULL AND expires_at <= @now AND (name = @name OR login = sqlc.narg(login));

-- name: AddPrincipal :exec
INSERT INTO principals (id, name, scope, agents, token_hash, login, created_at, expires_at)
VALUES (@id, @name, @scope, @agents, sqlc.narg(token_hash), sqlc.narg(login), @created_at, sqlc.narg(expires_at));

-- name: Principals :many
-- Lists those that are not revoked, expired ones included.
SELECT * FROM principals WHERE revoked_at IS NULL ORDER BY name;

-- name: RevokePrincipal :execrows
-- Also ends the sign-ins.
WITH ended AS (DELETE FROM sign_ins WHERE principal_id = @id)
UPDATE principals p SET revoked_at = @at::timestamptz WHERE p.id = @id AND p.revoked_at IS NULL;

-- name: UsePrincipal :exec
UPDATE principals SET last_used_at = @at::timestamptz WHERE id = @id AND (last_used_at IS NULL OR last_used_at < @at::timestamptz);
