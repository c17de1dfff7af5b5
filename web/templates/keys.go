package templates

// Keys is the view of the page with the keyboard shortcuts.
type Keys struct{ Frame }

// key is one shortcut. A string with a space means two keys in sequence.
type key struct {
	Keys []string
	Does string
}

type keyGroup struct {
	Title string
	Keys  []key
}

// keyGroups returns the keyboard shortcuts that keys.js implements.
func keyGroups() []keyGroup {
	return []keyGroup{
		{"Lists", []key{
			{[]string{"j", "k"}, "next, previous"},
			{[]string{"Enter"}, "open"},
			{[]string{"x"}, "select; with Shift, all from the last selected"},
			{[]string{"Esc"}, "select nothing; back to the list"},
		}},
		{"The memory that is focused, selected or open", []key{
			{[]string{"d"}, "delete"},
			{[]string{"u"}, "undo the last action of this tab"},
			{[]string{"e"}, "edit"},
			{[]string{"v"}, "say that it is still true"},
			{[]string{"a"}, "accept, of a proposal"},
			{[]string{"r"}, "refuse it; restore, in the trash"},
		}},
		{"Review", []key{
			{[]string{"j", "k"}, "next, previous item"},
			{[]string{"1", "2"}, "keep this one"},
			{[]string{"a", "d"}, "yes; no, or delete"},
			{[]string{"m", "b"}, "merge; keep both"},
			{[]string{"f"}, "fix"},
			{[]string{"v"}, "still true"},
			{[]string{"r"}, "reveal a secret"},
			{[]string{"z"}, "snooze for a day"},
		}},
		{"Everywhere", []key{
			{[]string{"⌘K"}, "search or jump to"},
			{[]string{"/"}, "filter"},
			{[]string{"n"}, "new memory"},
			{[]string{"F6"}, "from the page to the message, and back"},
			{[]string{"?"}, "these keys"},
		}},
		{"Places", []key{
			{[]string{"g h"}, "Home"},
			{[]string{"g r"}, "Review"},
			{[]string{"g t"}, "Timeline"},
			{[]string{"g m"}, "Memory of the agent"},
			{[]string{"g c"}, "its Context"},
			{[]string{"g l"}, "its Timeline"},
			{[]string{"g s"}, "its Settings"},
			{[]string{"[", "]"}, "previous, next agent"},
		}},
	}
}
