// Package recallbench measures how well recall finds memories. It reads questions with the memories
// that answer them, from a person's own file or from LoCoMo's, ranks memories with BM25 to compare,
// and counts. It reads no files and asks no server; the command memoir bench does.
package recallbench

// MaxGiven is the number of memories that BM25 gives to a question, as recall does at most.
const MaxGiven = 5

// Question is a prompt for an agent.
type Question struct {
	Prompt string
	// Kind is LoCoMo's kind of question. It is empty for own questions.
	Kind string
	// Expected are the answers of the memories that are right. If there are none, silence is right.
	Expected []string
}

// Memory is a memory that can be given.
type Memory struct {
	Name string
	// Answer is what questions expect: the memory's id, or the session of LoCoMo that it is about.
	Answer string
	Text   string // all text that BM25 reads
}

// Given are the answers of the memories that one question was given, best first.
type Given []string
