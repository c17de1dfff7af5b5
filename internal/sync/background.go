package sync

import "context"

// What reads an agent's surroundings in the background, outside of this package, is done by one server for each agent, and waits
// for what somebody waits for. These say when and where.

// LooksAfter reports whether this server, and no other, looks after the agent.
func (e *Engine) LooksAfter(slug string) bool { return e.looksAfter(slug) }

// Sees reports whether the agent's directory is on this server's disk, whichever server looks after it.
func (e *Engine) Sees(ctx context.Context, slug string) bool { return e.sees(ctx, slug) }
