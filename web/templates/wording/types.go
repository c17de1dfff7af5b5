package wording

import (
	"cmp"

	"memoir/internal/memories"
)

var typeNames = map[memories.Type]string{
	memories.Feedback: "Feedback", memories.User: "User", memories.Project: "Project", memories.Reference: "Reference",
}

// TypeName returns the label of a type. For an unknown or empty type it returns "No type".
func TypeName(t memories.Type) string { return cmp.Or(typeNames[t], "No type") }

var typeMeanings = map[memories.Type]string{
	memories.Feedback:  "how people want the work done",
	memories.User:      "who people are and what they prefer",
	memories.Project:   "what is going on, and why",
	memories.Reference: "where things live",
}

// TypeMeaning returns in a few words the purpose of a type. For an unknown or empty type it returns
// "no type, or could not be read".
func TypeMeaning(t memories.Type) string {
	return cmp.Or(typeMeanings[t], "no type, or could not be read")
}
