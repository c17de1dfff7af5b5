package claudemd

import "fmt"

// A conversation that has become too long is compacted. Its session memory, the notes that were taken along the way, can carry that in
// place of a summary that a model has to write. These are the borders within which it does, those of Claude Code.
const (
	MinCompactionTokens   = 10_000
	MaxCompactionTokens   = 40_000
	MinCompactionMessages = 5
)

// Carries says whether a session memory would carry a compaction.
type Carries string

// What can be said of it.
const (
	CarriesIt      Carries = "yes"
	DoesNotCarryIt Carries = "no"
	MayCarryIt     Carries = "unknown" // there is no transcript to count messages in
)

// UncountedMessages stands for a number of messages that is not known.
const UncountedMessages = -1

// ReadCompaction says whether a session memory of so many tokens, of a conversation of so many messages with text, would carry a
// compaction, and why, in a sentence.
func ReadCompaction(tokens, messages int) (Carries, string) {
	switch {
	case tokens < MinCompactionTokens:
		return DoesNotCarryIt, fmt.Sprintf("It has fewer than %d tokens, which is too little to go on from.", MinCompactionTokens)
	case tokens > MaxCompactionTokens:
		return DoesNotCarryIt, fmt.Sprintf("It has more than %d tokens, which is too much to take along.", MaxCompactionTokens)
	case messages == UncountedMessages:
		return MayCarryIt, fmt.Sprintf("It is of the right length. There is no transcript here to tell whether the conversation has %d messages with text.", MinCompactionMessages)
	case messages < MinCompactionMessages:
		return DoesNotCarryIt, fmt.Sprintf("Its conversation has fewer than %d messages with text.", MinCompactionMessages)
	}
	return CarriesIt, fmt.Sprintf("It has %d to %d tokens, and its conversation at least %d messages with text.", MinCompactionTokens, MaxCompactionTokens, MinCompactionMessages)
}
