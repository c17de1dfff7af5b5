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

// Refusal shows the page for a request that the gate refused, or that broke. It has the form that gate.Options.Refusal
// takes.
func Refusal(w http.ResponseWriter, r *http.Request, status int) {
	f := templates.FailureOf(status)
	if status == http.StatusForbidden && gate.ReadOnly(r.Context()) {
		f.Title = "You may only read here"
		f.Text = "You signed in with the token for readers. Nothing was changed. To change something, sign in anew at /sign-in, with the token that Memoir was started with as --token."
	}
	if status >= http.StatusInternalServerError {
		f.RequestID = gate.RequestID(r.Context())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.FailurePage(f).Render(r.Context(), w) // the browser may be gone
}
