package templates

// SignIn is the view of the sign-in page.
type SignIn struct {
	Frame
	Next    string // the path to open afterwards
	Problem string // why the last try failed; empty on the first
}
