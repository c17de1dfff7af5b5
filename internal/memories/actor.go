package memories

// actorPhrases say who did something. Every page takes them from here, so that no two pages
// contradict each other.
var actorPhrases = map[Actor]string{
	BySession:    "by a session",
	ByDisk:       "in a file of the agent’s own",
	ByBrowser:    "in the browser",
	ByScript:     "by a script",
	ByMemoir:     "by Memoir itself",
	ByExtraction: "found by Memoir in a conversation",
}

// Phrase returns who did something of a kind, in words. It is empty for an unknown actor.
func (a Actor) Phrase(kind ActivityKind) string {
	if kind == ActivityDeleted && a == ByDisk {
		return "removed on disk"
	}
	return actorPhrases[a]
}

// Deleted returns how a memory came into the trash, such as "deleted by a script".
func (a Actor) Deleted() string {
	phrase := a.Phrase(ActivityDeleted)
	switch {
	case a == ByDisk:
		return phrase
	case phrase == "":
		return "deleted"
	default:
		return "deleted " + phrase
	}
}
