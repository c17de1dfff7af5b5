package templates

import "net/http"

// Failure is the view of an error page.
type Failure struct {
	Frame
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
	f := Failure{Status: status, BackHref: HomePath, BackLabel: "All agents"}
	switch status {
	case http.StatusBadRequest:
		f.Title = "That request made no sense"
		f.Text = "Something in it could not be read. Nothing was changed. Go back, reload the page and try again."
	case http.StatusForbidden:
		f.Title = "That came from another site"
		f.Text = "Memoir only takes changes from its own pages. Nothing was changed. Do it again from here."
	case http.StatusNotFound:
		f.Title = "Nothing is here"
		f.Text = "There is no such page, agent or memory. It may have been deleted for good since the link was made."
	case http.StatusMethodNotAllowed:
		f.Title = "That cannot be done here"
		f.Text = "This address does not take that kind of request. Nothing was changed."
	case http.StatusConflict:
		f.Title = "It changed on disk in the meantime"
		f.Text = "The file is no longer what you saw, so nothing was done. Look at what it says now, then decide again."
	case http.StatusPreconditionFailed:
		f.Title = "It changed since you opened the page"
		f.Text = "Somebody or something was faster, so nothing was done. Look at what it says now, then decide again."
	case http.StatusRequestEntityTooLarge:
		f.Title = "That is too large"
		f.Text = "More was sent than Memoir takes at once. Nothing was changed."
	case http.StatusMisdirectedRequest:
		f.Title = "Memoir is not known by that name"
		f.Text = "The address in the browser is not one that this Memoir answers to. Start it with --allowed-host to add one."
	case http.StatusUnprocessableEntity:
		f.Title = "That cannot be saved"
		f.Text = "Something in it is not allowed. Nothing was changed."
	case http.StatusServiceUnavailable:
		f.Title = "Postgres cannot be reached"
		f.Text = "Nothing was changed, and the memory files are untouched. Memoir tries to reconnect by itself: try again in a moment."
	default:
		f.Title = "Something went wrong in Memoir"
		f.Text = "The request may not have been done. The log has the details under the number below."
	}
	return f
}

// SignIn is the view of the sign-in page.
type SignIn struct {
	Frame
	Next    string // the path to open afterwards
	Problem string // why the last try failed; empty on the first
}
