package wire

// ImportReport is what an import changes or has changed.
type ImportReport struct {
	Applied bool            `json:"applied" doc:"False for a dry run: nothing was changed."`
	Format  string          `json:"format" enum:"archive,markdown,json" doc:"As which the file was read."`
	Agents  []ImportedAgent `json:"agents" nullable:"false"`
	Skipped []SkippedPart   `json:"skipped" nullable:"false" doc:"Parts of the file that are no memories."`
}

// ImportedAgent is the part of an import about one agent.
type ImportedAgent struct {
	From    string         `json:"from" doc:"The agent's slug in the file; empty if the file names none."`
	Agent   string         `json:"agent" doc:"The agent's slug here."`
	Creates bool           `json:"creates" doc:"The agent is new here."`
	Problem *string        `json:"problem" doc:"Why nothing of the agent is imported; null if it is."`
	Counts  ImportCounts   `json:"counts"`
	Items   []ImportedItem `json:"items" nullable:"false" doc:"All memories but those with the outcomes same and newer."`
}

// ImportCounts are the numbers of an agent's memories by outcome.
type ImportCounts struct {
	New        int `json:"new" doc:"Added with their history."`
	Changed    int `json:"changed" doc:"Get the newer content."`
	Deleted    int `json:"deleted" doc:"Deleted there since; go to the trash."`
	Same       int `json:"same"`
	Newer      int `json:"newer" doc:"The content here is newer and stays."`
	Tombstoned int `json:"tombstoned" doc:"Deleted here; stay deleted."`
	Conflict   int `json:"conflict" doc:"Changed on both sides; the review asks."`
	Pending    int `json:"pending" doc:"A person has yet to decide about them, here or there."`
	Failed     int `json:"failed"`
	History    int `json:"history" doc:"Stay, and get earlier contents."`
}

// ImportedItem is one memory of an import.
type ImportedItem struct {
	Name    string  `json:"name"`
	Scope   string  `json:"scope" enum:"private,team"`
	Outcome string  `json:"outcome" enum:"new,changed,deleted,same,newer,tombstoned,conflict,pending,failed"`
	Reason  *string `json:"reason"`
}

// SkippedPart is a part of a file that is no memory.
type SkippedPart struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}
