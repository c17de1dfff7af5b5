package gate

import (
	"context"
	"errors"
	"net/http"
)

type readOnly struct{}

// ReadOnly reports whether whoever makes the request that the context belongs to may only read. Without a token for readers
// nobody is kept from writing.
func ReadOnly(ctx context.Context) bool {
	only, _ := ctx.Value(readOnly{}).(bool)
	return only
}

// checkReadToken refuses a token for readers that would keep nobody from writing.
func checkReadToken(options Options) error {
	switch {
	case options.ReadToken == "":
		return nil
	case options.Token == "":
		return errors.New("there is a --read-token and no --token, so that everybody could write without showing anything; set --token too")
	case options.ReadToken == options.Token:
		return errors.New("--read-token and --token are the same, so that readers could write; choose another one for readers")
	}
	return nil
}

// letRead lets a reader in to what changes nothing, and notes for the handlers that it is one.
func (g *Gate) letRead(w http.ResponseWriter, r *http.Request, next http.Handler) {
	r = r.WithContext(context.WithValue(r.Context(), readOnly{}, true))
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || g.options.OnlyReads != nil && g.options.OnlyReads(r)
	if !reads {
		g.refuse(w, r, http.StatusForbidden, "This token may only read. Nothing was changed. What changes something takes the token that the server was started with as --token.")
		return
	}
	next.ServeHTTP(w, r)
}
