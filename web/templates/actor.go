package templates

import "memoir/internal/memories"

// actorWords name the actors in the filter of the Activity tab.
var actorWords = map[memories.Actor]string{
	memories.BySession:    "Sessions",
	memories.ByDisk:       "Files on disk",
	memories.ByBrowser:    "People, in the browser",
	memories.ByScript:     "Scripts",
	memories.ByMemoir:     "Memoir itself",
	memories.ByExtraction: "Extraction",
}

// actorPhrases say who did something. Every page takes them from here, so that no two pages contradict each other.
var actorPhrases = map[memories.Actor]string{
	memories.BySession:    "by a session",
	memories.ByDisk:       "in a file of the agent’s own",
	memories.ByBrowser:    "in the browser",
	memories.ByScript:     "by a script",
	memories.ByMemoir:     "by Memoir itself",
	memories.ByExtraction: "found by Memoir in a conversation",
}

// By says who did something of that kind. It is empty for an unknown actor.
func By(actor memories.Actor, kind memories.ActivityKind) string {
	if kind == memories.DidDelete && actor == memories.ByDisk {
		return "removed on disk"
	}
	return actorPhrases[actor]
}

// DeletedBy says how a memory came into the trash, in the words of the Activity tab.
func DeletedBy(actor memories.Actor) string {
	switch by := By(actor, memories.DidDelete); {
	case actor == memories.ByDisk:
		return by
	case by == "":
		return "deleted"
	default:
		return "deleted " + by
	}
}
