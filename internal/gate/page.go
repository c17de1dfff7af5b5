package gate

import (
	"html/template"
	"net/http"
)

// The plain pages need no style sheet: they are shown when the rest of the site may not be.
var (
	plainPage = template.Must(template.New("page").Parse(
		`<!doctype html><html lang="en"><meta charset="utf-8"><title>{{.Title}} · Memoir</title><h1>{{.Title}}</h1><p>{{.Detail}}</p>` + "\n"))
	plainForm = template.Must(template.New("form").Parse(
		`<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in · Memoir</title><h1>Sign in</h1>` +
			`{{if .Wrong}}<p>This is not the token that the server was started with. Try again.</p>{{end}}` +
			`<form method="post" action="/sign-in"><input type="hidden" name="next" value="{{.Next}}">` +
			`<label>Token <input type="password" name="token" required autofocus autocomplete="current-password"></label> <button>Sign in</button></form>` + "\n"))
)

func page(w http.ResponseWriter, status int, title, detail string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = plainPage.Execute(w, struct{ Title, Detail string }{title, detail}) // the client may be gone
}

func plainSignIn(w http.ResponseWriter, _ *http.Request, form SignInForm) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = plainForm.Execute(w, form) // the client may be gone
}
