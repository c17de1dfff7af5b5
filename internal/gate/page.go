package gate

import (
	"fmt"
	"html"
	"net/http"
)

// The plain pages need no style sheet: they are shown when the rest of the site may not be. They are written out by hand:
// whatever runs a template of html/template reaches methods by name, so that the linker has to keep every exported method of
// the program, and these two pages would cost a server 15 MB of memory.
const (
	plainPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>%[1]s · Memoir</title><h1>%[1]s</h1><p>%[2]s</p>` + "\n"
	plainForm = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in · Memoir</title><h1>Sign in</h1>%s` +
		`<form method="post" action="/sign-in"><input type="hidden" name="next" value="%s">` +
		`<label>Token <input type="password" name="token" required autofocus autocomplete="current-password"></label> <button>Sign in</button></form>` + "\n"
	wrongToken    = `<p>This is not the token that the server was started with. Try again.</p>`
	tooManyTokens = `<p>Too many wrong tokens. Try again in %d s.</p>`
)

func page(w http.ResponseWriter, status int, title, detail string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, plainPage, html.EscapeString(title), html.EscapeString(detail)) //nolint:errcheck // the client may be gone
}

func plainSignIn(w http.ResponseWriter, _ *http.Request, form SignInForm) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	said := ""
	switch {
	case form.Wrong:
		said = wrongToken
	case form.Wait > 0:
		said = fmt.Sprintf(tooManyTokens, form.Wait)
	}
	fmt.Fprintf(w, plainForm, said, html.EscapeString(form.Next)) //nolint:errcheck // the client may be gone
}
