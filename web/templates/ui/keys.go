package ui

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
		{"Memory", []key{
			{[]string{"d"}, "delete"},
			{[]string{"u"}, "undo the last action of this tab"},
			{[]string{"e"}, "edit"},
			{[]string{"v"}, "mark as still true"},
			{[]string{"a"}, "accept a suggestion"},
			{[]string{"r"}, "dismiss a suggestion; restore from the trash"},
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
			{[]string{"F6"}, "to the message, and back"},
			{[]string{"?"}, "these keys"},
		}},
		{"Places", []key{
			{[]string{"g h"}, "Home"},
			{[]string{"g r"}, "Review"},
			{[]string{"g t"}, "Timeline"},
			{[]string{"g m"}, "Memory of an agent"},
			{[]string{"g c"}, "Context of an agent"},
			{[]string{"g l"}, "Timeline of an agent"},
			{[]string{"g s"}, "Settings of an agent"},
			{[]string{"[", "]"}, "previous, next agent"},
		}},
	}
}
