package gate

import (
	"fmt"
	"html"
	"net/http"
)

// The plain pages need no stylesheet, because the stylesheet may not be available. They do not use
// html/template: it calls methods by name, so the linker would keep every exported method, which
// costs 15 MB of memory.
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
	_, _ = fmt.Fprintf(w, plainPage, html.EscapeString(title), html.EscapeString(detail))
}

func plainSignIn(w http.ResponseWriter, _ *http.Request, form SignInForm) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	message := ""
	switch {
	case form.Wrong:
		message = wrongToken
	case form.Wait > 0:
		message = fmt.Sprintf(tooManyTokens, form.Wait)
	}
	_, _ = fmt.Fprintf(w, plainForm, message, html.EscapeString(form.Next))
}
