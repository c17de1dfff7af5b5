package gate

import (
	"context"
	"errors"
	"net/http"
)

type readOnly struct{}

// ReadOnly reports whether the request of ctx may only read. It returns false if the server has no
// ReadToken.
func ReadOnly(ctx context.Context) bool {
	only, _ := ctx.Value(readOnly{}).(bool)
	return only
}

// checkReadToken returns an error if ReadToken would not prevent writes: without a Token, or with
// an equal one.
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

// serveReader serves a request that may only read. It refuses a request that changes something.
func (g *Gate) serveReader(w http.ResponseWriter, r *http.Request, next http.Handler) {
	r = r.WithContext(context.WithValue(r.Context(), readOnly{}, true))
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || g.options.OnlyReads != nil && g.options.OnlyReads(r)
	if !reads {
		g.refuse(w, r, http.StatusForbidden, "This token may only read. Nothing was changed. What changes something takes the token that the server was started with as --token.")
		return
	}
	next.ServeHTTP(w, r)
}
