-- name: SaveSignIn :exec
-- Inserts a sign-in, and deletes expired ones.
WITH expired AS (DELETE FROM sign_ins WHERE expires_at <= now())
INSERT INTO sign_ins (id, seal, expires_at, principal_id) VALUES (@id, @seal, @expires_at, sqlc.narg(principal_id));

-- name: SignIn :one
SELECT seal, principal_id, expires_at FROM sign_ins WHERE id = @id AND expires_at > now();

-- name: EndSignIn :exec
DELETE FROM sign_ins WHERE id = @id;
