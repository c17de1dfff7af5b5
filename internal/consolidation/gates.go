package consolidation

import (
	"fmt"
	"time"

	"memoir/internal/memories/memtext"
	engine "memoir/internal/sync"
)

// The conditions for an automatic consolidation. The numbers are Claude Code's.
const (
	// minInterval is the minimum time between two consolidations of an agent.
	minInterval = 24 * time.Hour
	// checkInterval is the minimum time between two checks whether an agent is due.
	checkInterval = 10 * time.Minute
	// minConversations is the minimum number of conversations since the last consolidation.
	minConversations = 5
	// maxConversations is the maximum number of conversations that are counted.
	maxConversations = 100
)

// GateName is the name of a gate.
type GateName string

// The gates, in the order of the checks, cheapest first.
const (
	GateTime          GateName = "time"
	GateLook          GateName = "look"
	GateConversations GateName = "conversations"
	GateLock          GateName = "lock"
)

// Gate is the result of one condition.
type Gate struct {
	Name GateName
	Open bool
	Why  string // a sentence for users
}

// Facts is the data that the gates check for one agent.
type Facts struct {
	Now           time.Time
	Lock          engine.ConsolidationLock
	Looked        time.Time // last check whether the agent is due; zero if never
	Conversations engine.Conversations
}

// Gates checks the four conditions for an automatic consolidation and returns one result for each,
// in the order of the constants. The agent is due if all are open.
func Gates(f Facts) []Gate {
	return []Gate{timeGate(f), lookGate(f), conversationsGate(f), lockGate(f)}
}

func timeGate(f Facts) Gate {
	if f.Lock.Last.IsZero() {
		return Gate{GateTime, true, "Never consolidated."}
	}
	ago := f.Now.Sub(f.Lock.Last)
	return Gate{GateTime, ago >= minInterval, fmt.Sprintf("Consolidated %s ago.", inWords(ago))}
}

func lookGate(f Facts) Gate {
	if f.Looked.IsZero() {
		return Gate{GateLook, true, "Not checked yet."}
	}
	ago := f.Now.Sub(f.Looked)
	return Gate{GateLook, ago >= checkInterval, fmt.Sprintf("Checked %s ago.", inWords(ago))}
}

func conversationsGate(f Facts) Gate {
	if !f.Conversations.Known {
		return Gate{GateConversations, false, "Conversations not found. Plans are made on request only."}
	}
	text := memtext.Counted(f.Conversations.Count, "conversation", "conversations")
	if f.Conversations.Count >= maxConversations {
		text = fmt.Sprintf("%d or more conversations", maxConversations)
	}
	return Gate{GateConversations, f.Conversations.Count >= minConversations, text + " since then."}
}

func lockGate(f Facts) Gate {
	switch {
	case f.Lock.Problem != "":
		return Gate{GateLock, false, f.Lock.Problem}
	case f.Lock.Held:
		return Gate{GateLock, false, fmt.Sprintf("Process %d is consolidating now.", f.Lock.PID)}
	}
	return Gate{GateLock, true, "No other run."}
}

// inWords returns a duration as text in minutes, hours (up to 47) or days, rounded down. Durations
// below a minute are "less than a minute".
func inWords(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return memtext.Counted(int(d/time.Minute), "minute", "minutes")
	case d < 48*time.Hour:
		return memtext.Counted(int(d/time.Hour), "hour", "hours")
	}
	return memtext.Counted(int(d/(24*time.Hour)), "day", "days")
}
