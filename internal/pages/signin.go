package pages

import (
	"fmt"
	"net/http"

	"memoir/internal/gate"
	"memoir/web/templates"
)

// SignIn writes the sign-in page. It implements gate.Options.SignIn. It does not send a status:
// after a wrong token, the gate has already sent one.
func SignIn(w http.ResponseWriter, r *http.Request, form gate.SignInForm) {
	v := templates.SignIn{Next: form.Next}
	switch {
	case form.Wrong:
		v.Problem = "That is not the token. It is the one that Memoir was started with, as --token or MEMOIR_TOKEN."
	case form.Wait > 0:
		v.Problem = fmt.Sprintf("Too many wrong tokens. Try again in %d s.", form.Wait)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = templates.SignInPage(v).Render(forReader(r), w) // the client may be gone
}

// Refusal writes the page for a request that the gate refused or that panicked. It implements
// gate.Options.Refusal.
func Refusal(w http.ResponseWriter, r *http.Request, status int, detail string) {
	f := templates.FailureOf(status)
	switch {
	case status == http.StatusForbidden && gate.ReadOnly(r.Context()):
		f.Title = "You may only read here"
		f.Text = "You signed in with the token for readers. Nothing was changed. To change something, sign in anew at /sign-in, with the token that Memoir was started with as --token."
	case status == http.StatusForbidden, status == http.StatusServiceUnavailable:
		f.Text = detail
	case status == http.StatusTooManyRequests:
		f.Title, f.Text = "Too many wrong tokens", detail
	}
	if status >= http.StatusInternalServerError {
		f.RequestID = gate.RequestID(r.Context())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.FailurePage(f).Render(r.Context(), w) // the client may be gone
}
