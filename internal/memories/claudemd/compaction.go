package claudemd

import "fmt"

// Limits of Claude Code for replacing a conversation by its session memory when the conversation
// becomes too long. Tokens are those of the session memory; messages are those with text in the
// conversation.
const (
	MinCompactionTokens   = 10_000
	MaxCompactionTokens   = 40_000
	MinCompactionMessages = 5
)

// CompactionFit is whether a session memory can replace a compacted conversation.
type CompactionFit string

const (
	CompactionFits       CompactionFit = "yes"
	CompactionDoesNotFit CompactionFit = "no"
	CompactionUnknown    CompactionFit = "unknown" // the conversation's messages could not be counted
)

// UncountedMessages means that the number of messages is unknown.
const UncountedMessages = -1

// FitCompaction returns whether a session memory of this size can replace a conversation with this
// many messages with text, and one sentence with the reason. If only the number of messages is
// missing, as UncountedMessages, fit is CompactionUnknown.
func FitCompaction(tokens, messages int) (fit CompactionFit, reason string) {
	switch {
	case tokens < MinCompactionTokens:
		return CompactionDoesNotFit, fmt.Sprintf("Fewer than %d tokens.", MinCompactionTokens)
	case tokens > MaxCompactionTokens:
		return CompactionDoesNotFit, fmt.Sprintf("More than %d tokens.", MaxCompactionTokens)
	case messages == UncountedMessages:
		return CompactionUnknown, fmt.Sprintf("The length fits. Without a transcript, %d messages cannot be counted.", MinCompactionMessages)
	case messages < MinCompactionMessages:
		return CompactionDoesNotFit, fmt.Sprintf("The conversation has fewer than %d messages with text.", MinCompactionMessages)
	}
	return CompactionFits, fmt.Sprintf("%d to %d tokens, and at least %d messages with text.", MinCompactionTokens, MaxCompactionTokens, MinCompactionMessages)
}
