package pages

import (
	"net/http"

	"memoir/internal/gate"
	"memoir/web/templates"
)

// SignIn shows the page that asks for the token. It has the form that gate.Options.SignIn takes: after a wrong token the
// status is sent already.
func SignIn(w http.ResponseWriter, r *http.Request, form gate.SignInForm) {
	v := templates.SignIn{Next: form.Next}
	if form.Wrong {
		v.Problem = "That is not the token. It is the one that Memoir was started with, as --token or MEMOIR_TOKEN."
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = templates.SignInPage(v).Render(forReader(r), w) // the browser may be gone
}
