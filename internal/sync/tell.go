package sync

// Tell has open pages and event streams look at an agent anew, here and on the other servers, because of something that is not the
// engine's own: what is proposed, say.
func (e *Engine) Tell(slug string, kind Kind) { e.hub.publish(Event{Agent: slug, Kind: kind}) }
