package templates

import (
	"net/http"

	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Failure is the view of an error page.
type Failure struct {
	ui.Frame
	Status int
	Title  string
	Text   string // what happened, what was kept, what to do
	// Details are facts about this case, for users, such as the changed file.
	Details []string
	// RequestID is shown for a status of 500, to search in the log.
	RequestID string
	BackHref  string
	BackLabel string
}

// FailureOf returns the view of the error page of an HTTP status, with its title, text and a link
// to the first page. A status without its own text gets the text of 500.
func FailureOf(status int) Failure {
	f := Failure{Status: status, BackHref: address.HomePath, BackLabel: "Home"}
	switch status {
	case http.StatusBadRequest:
		f.Title = "Bad request"
		f.Text = "Nothing was changed. Go back, reload the page and try again."
	case http.StatusForbidden:
		f.Title = "Request from another site"
		f.Text = "Memoir accepts changes from its own pages only. Nothing was changed."
	case http.StatusNotFound:
		f.Title = "Page not found"
		f.Text = "This page, agent or memory does not exist, or was deleted."
	case http.StatusMethodNotAllowed:
		f.Title = "Not possible here"
		f.Text = "This address does not accept that request. Nothing was changed."
	case http.StatusConflict:
		f.Title = "Changed on disk"
		f.Text = "Nothing was changed. Check the new file and retry."
	case http.StatusPreconditionFailed:
		f.Title = "Memory has changed"
		f.Text = "Nothing was changed. Check the new version and retry."
	case http.StatusRequestEntityTooLarge:
		f.Title = "Too large"
		f.Text = "The request is larger than Memoir accepts. Nothing was changed."
	case http.StatusMisdirectedRequest:
		f.Title = "Unknown host name"
		f.Text = "Start Memoir with --allowed-host to add this name."
	case http.StatusUnprocessableEntity:
		f.Title = "Not saved"
		f.Text = "A value is not allowed. Nothing was changed."
	case http.StatusServiceUnavailable:
		f.Title = "Database unavailable"
		f.Text = "Nothing was changed. Memoir reconnects automatically. Try again in a moment."
	default:
		f.Title = "Internal error"
		f.Text = "The change may be incomplete. Find this ID in the log."
	}
	return f
}

// SignIn is the view of the sign-in page.
type SignIn struct {
	ui.Frame
	Next    string // the path to open afterwards
	Problem string // why the last token failed; empty on the first try
	// Provider is the host of the OpenID Connect provider, and ProviderHref leads there. They are empty
	// without one.
	Provider, ProviderHref string
	ProviderProblem        string // why the sign-in there failed; empty on the first try
}
