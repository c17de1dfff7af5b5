package consolidation

import (
	"fmt"
	"time"

	"memoir/internal/sync"
)

// What has to hold before an agent's memories are consolidated without being asked. The numbers are Claude Code's.
const (
	// betweenRuns is the least time from one consolidation to the next.
	betweenRuns = 24 * time.Hour
	// betweenLooks is the least time from one look at whether it is due to the next.
	betweenLooks = 10 * time.Minute
	// enoughConversations is how many conversations have to have gone on since the last one.
	enoughConversations = 5
	// mostConversations is as many as are counted.
	mostConversations = 100
)

// GateName names one of the gates.
type GateName string

// The gates, in the order in which they are asked: the cheapest first.
const (
	GateTime          GateName = "time"
	GateLook          GateName = "look"
	GateConversations GateName = "conversations"
	GateLock          GateName = "lock"
)

// Gate is one thing that has to hold.
type Gate struct {
	Name GateName
	Open bool
	Why  string // a sentence for people
}

// Facts are what the gates go by.
type Facts struct {
	Now           time.Time
	Lock          sync.ConsolidationLock
	Looked        time.Time // zero: never
	Conversations sync.Conversations
}

// gate is one of the gates, as a question to the facts.
type gate func(Facts) Gate

// gates are in the order in which they are asked.
var gates = []gate{longEnoughAgo, notLookedAtLately, enoughHappened, lockIsFree}

// Gates asks all of them.
func Gates(f Facts) []Gate {
	all := make([]Gate, len(gates))
	for i, ask := range gates {
		all[i] = ask(f)
	}
	return all
}

func longEnoughAgo(f Facts) Gate {
	if f.Lock.Last.IsZero() {
		return Gate{GateTime, true, "These memories were never consolidated."}
	}
	ago := f.Now.Sub(f.Lock.Last)
	return Gate{GateTime, ago >= betweenRuns, fmt.Sprintf("They were consolidated %s ago, and may be again after 24 hours.", spoken(ago))}
}

func notLookedAtLately(f Facts) Gate {
	if f.Looked.IsZero() {
		return Gate{GateLook, true, "Nobody has looked yet whether they are due."}
	}
	ago := f.Now.Sub(f.Looked)
	return Gate{GateLook, ago >= betweenLooks, fmt.Sprintf("The last look at whether they are due was %s ago; there is one every 10 minutes.", spoken(ago))}
}

func enoughHappened(f Facts) Gate {
	if !f.Conversations.Known {
		return Gate{GateConversations, false, "Where this agent's conversations are is not known, so a plan is made only when somebody asks for one."}
	}
	said := fmt.Sprint(f.Conversations.Count)
	switch {
	case f.Conversations.Count >= mostConversations:
		said = fmt.Sprintf("%d or more conversations", mostConversations)
	case f.Conversations.Count == 1:
		said += " conversation"
	default:
		said += " conversations"
	}
	return Gate{GateConversations, f.Conversations.Count >= enoughConversations, said + " went on since, of the 5 that it takes."}
}

func lockIsFree(f Facts) Gate {
	switch {
	case f.Lock.Problem != "":
		return Gate{GateLock, false, f.Lock.Problem}
	case f.Lock.Held:
		return Gate{GateLock, false, fmt.Sprintf("Another program (process %d) is consolidating them at the moment.", f.Lock.PID)}
	}
	return Gate{GateLock, true, "Nobody else is consolidating them."}
}

// spoken is a length of time in one unit.
func spoken(d time.Duration) string {
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return count(int(d/time.Hour), "hour")
	}
	return count(int(d/(24*time.Hour)), "day")
}
