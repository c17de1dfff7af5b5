package records

import "time"

// Target is a file besides CLAUDE.md into which an agent is published.
type Target struct {
	Name string // of an agents.Target
	Dir  string // absolute directory of the project; empty for the agent's own
	// Wanted is false while Memoir's block is still to be removed from the file.
	Wanted bool
	// Added are the line ends that Memoir put before its block in a file that existed.
	Added string
	// Created is the topmost path that Memoir created for the file, relative to the directory. It is
	// empty if the file existed.
	Created string
	// SameAs is the path of the published file that this file is too, by a link. Else it is empty.
	SameAs string
	Bytes  int // of the whole file
	// Problem is the reason if the file cannot be written.
	Problem     string
	PublishKey  string // identifies the file with the current memories
	PublishedAt time.Time
}
