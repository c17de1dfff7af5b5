// Package ui owns what all pages are made of: the document around their content with its sidebar,
// palette and help, the reader for whom it is rendered, and the components buttons, banners, badges,
// icons, meters and diffs. It never renders the content of a page; package templates does.
//
//	@ui.Layout("Trash", ui.AgentSection(slug), v.Frame) { @ui.Button(restore) }
package ui

// Frame is the part of a view that every page has.
type Frame struct {
	// Live is the path of the event stream that reloads the page. It is empty for a page that does
	// not reload.
	Live string
	// Notice is the message about the last action. It is shown once.
	Notice *Notice
	// Banners are messages above the content, shown while their problems exist.
	Banners []Banner
}

// Notice is a message about an action, with actions such as an undo.
type Notice struct {
	Text    string
	Actions []Action
}

// Tone is the importance of a banner or badge.
type Tone string

// The tones, from the lowest. The zero Tone is Quiet.
const (
	Quiet   Tone = ""
	Good    Tone = "good"
	Warning Tone = "warning"
	Danger  Tone = "danger"
)

// Banner is a message about a problem: what is wrong, what was kept, what to do.
type Banner struct {
	Tone    Tone
	Title   string
	Text    string
	Items   []string // names, in a list that opens on demand
	Actions []Action
	Link    Link // more information; its label is empty if there is no link
}

// Link is a link to a page.
type Link struct{ Label, Href string }
