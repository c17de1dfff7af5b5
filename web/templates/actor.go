package templates

import "memoir/internal/memories"

var actorWords = map[memories.Actor]string{
	memories.BySession:    "Sessions",
	memories.ByDisk:       "Files on disk",
	memories.ByBrowser:    "People, in the browser",
	memories.ByScript:     "Scripts",
	memories.ByMemoir:     "Memoir itself",
	memories.ByExtraction: "Extraction",
}
