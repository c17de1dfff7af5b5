package wire

import "time"

// TargetList is the targets of an agent.
type TargetList struct {
	Dir     *string  `json:"dir" doc:"The absolute directory for new targets: the agent's own, or the root of its project's repository. Null if the agent can have none."`
	Targets []Target `json:"targets" nullable:"false"`
}

// Target is a file besides CLAUDE.md into which the agent can be published.
type Target struct {
	Target      string     `json:"target" enum:"agents,gemini,copilot,cursor"`
	On          bool       `json:"on" doc:"Whether the agent is published into the file."`
	Path        *string    `json:"path" doc:"The absolute path of the file; null if the agent can have no targets."`
	File        string     `json:"file" doc:"The path relative to the project."`
	Readers     string     `json:"readers" doc:"Programs that read the file."`
	Limit       int        `json:"limit" doc:"Bytes of the file above which memories become one line each. The file has at most twice as many."`
	Bytes       int        `json:"bytes" doc:"Size of the file when it was last published; 0 if it is not published."`
	SameAs      *string    `json:"same_as" doc:"The published file that this one is too, because one of them is a link; null otherwise."`
	PublishedAt *time.Time `json:"published_at" doc:"When the file was last written; null if it was not."`
	Problem     *string    `json:"problem" doc:"Why the file cannot be written, or the text of Memoir cannot be removed from it; null if all is well."`
}
