package claudemd

import "fmt"

// A conversation that has become too long is compacted. Its session memory, the notes that were taken along the way, can carry that in
// place of a summary that a model has to write. These are the borders within which it does, those of Claude Code.
const (
	MinCompactionTokens   = 10_000
	MaxCompactionTokens   = 40_000
	MinCompactionMessages = 5
)

// CompactionFit says whether a session memory can replace a conversation that is compacted.
type CompactionFit string

// What can be said of it.
const (
	CompactionFits       CompactionFit = "yes"
	CompactionDoesNotFit CompactionFit = "no"
	CompactionUnknown    CompactionFit = "unknown" // there is no transcript to count messages in
)

// UncountedMessages stands for a number of messages that is not known.
const UncountedMessages = -1

// FitCompaction returns whether a session memory of so many tokens can replace a conversation of so many
// messages with text, and the reason, in a sentence.
func FitCompaction(tokens, messages int) (CompactionFit, string) {
	switch {
	case tokens < MinCompactionTokens:
		return CompactionDoesNotFit, fmt.Sprintf("It has fewer than %d tokens, which is too little to go on from.", MinCompactionTokens)
	case tokens > MaxCompactionTokens:
		return CompactionDoesNotFit, fmt.Sprintf("It has more than %d tokens, which is too much to take along.", MaxCompactionTokens)
	case messages == UncountedMessages:
		return CompactionUnknown, fmt.Sprintf("It is of the right length. There is no transcript here to tell whether the conversation has %d messages with text.", MinCompactionMessages)
	case messages < MinCompactionMessages:
		return CompactionDoesNotFit, fmt.Sprintf("Its conversation has fewer than %d messages with text.", MinCompactionMessages)
	}
	return CompactionFits, fmt.Sprintf("It has %d to %d tokens, and its conversation at least %d messages with text.", MinCompactionTokens, MaxCompactionTokens, MinCompactionMessages)
}
