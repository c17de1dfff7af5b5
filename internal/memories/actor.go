package memories

// actorPhrases describe actors. All pages use these texts.
var actorPhrases = map[Actor]string{
	BySession:    "by a session",
	ByDisk:       "in a file of the agent’s own",
	ByBrowser:    "in the browser",
	ByScript:     "by a script",
	ByMemoir:     "by Memoir itself",
	ByExtraction: "found by Memoir in a conversation",
}

// Phrase describes who did something of this kind. It is empty for an unknown actor.
func (a Actor) Phrase(kind ActivityKind) string {
	if kind == ActivityDeleted && a == ByDisk {
		return "removed on disk"
	}
	return actorPhrases[a]
}

// Deleted describes how a memory was deleted, as in "deleted by a script".
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
