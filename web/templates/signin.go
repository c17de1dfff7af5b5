package templates

// SignIn is the page that asks for the token.
type SignIn struct {
	Frame
	Next    string // the path to go to afterwards
	Problem string // why the last try failed; empty: there was none
}
