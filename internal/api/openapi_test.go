package api_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOpenAPI_EveryCall(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	r := s.call("GET", "/api/openapi.json", nil)
	var document struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Responses   map[string]struct {
				Headers map[string]any
				Content map[string]struct{ Schema map[string]any }
			}
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(r.raw, &document); err != nil {
		t.Fatal(err)
	}
	if r.status != 200 || !strings.HasPrefix(document.OpenAPI, "3.1") || r.header.Get("Content-Type") != "application/openapi+json" {
		t.Errorf("status %d, version %q, media type %q", r.status, document.OpenAPI, r.header.Get("Content-Type"))
	}
	calls := map[string]string{
		"GET /agents": "AgentList", "GET /agents/{slug}": "Agent", "DELETE /agents/{slug}": "Agent",
		"GET /agents/{slug}/memories": "MemoryList", "POST /agents/{slug}/memories": "Memory",
		"GET /agents/{slug}/memories/{id}": "Memory", "PATCH /agents/{slug}/memories/{id}": "Memory",
		"DELETE /agents/{slug}/memories/{id}": "Memory", "POST /agents/{slug}/memories/{id}/restore": "Memory",
		"POST /agents/{slug}/memories/{id}/move": "Memory", "POST /agents/{slug}/memories/{id}/copy": "Memory",
		"GET /agents/{slug}/memories/{id}/revisions": "RevisionList", "GET /agents/{slug}/claude-md": "", "GET /agents/{slug}/index": "",
		"GET /agents/{slug}/index/lint": "IndexLint", "POST /agents/{slug}/index": "IndexRebuild",
		"POST /agents/{slug}/index/facts/{id}/adopt": "Memory",
		"GET /agents/{slug}/claude-md/costs":         "ClaudeMDCosts", "GET /agents/{slug}/memories/{id}/deletion": "Deletion",
		"POST /agents/{slug}/memories/{id}/verify": "Memory", "POST /agents/{slug}/memories:batch": "BatchResultList",
		"POST /agents/{slug}/scan": "Scan", "POST /scan": "Scan", "GET /sync": "Sync", "GET /sync/agents": "AgentSyncList", "GET /events": "", "GET /backup": "", "GET /doctor": "Doctor", "GET /memories": "MemoryList", "GET /search": "MemoryList",
		"GET /activity": "ActivityList", "GET /agents/{slug}/activity": "ActivityList",
		"GET /agents/{slug}/memories/{id}/activity": "ActivityList", "GET /agents/{slug}/statistics": "Statistics",
		"POST /agents/{slug}/recall": "Recall", "GET /agents/{slug}/recall/{id}": "Recall", "GET /agents/{slug}/recalls": "RecallList",
		"GET /agents/{slug}/recall-statistics": "RecallStatistics",
		"GET /agents/{slug}/jobs":              "BackgroundJobList",
		"GET /agents/{slug}/embedding":         "Embedding",
		"GET /tokens":                          "TokenList", "POST /tokens": "NewToken", "DELETE /tokens/{id}": "Token",
		"GET /agents/{slug}/about": "AgentAbout", "PATCH /agents/{slug}": "AgentAbout",

		"GET /review": "ReviewList", "GET /agents/{slug}/review": "ReviewList", "GET /review/{id}": "ReviewItem",
		"POST /review/{id}": "ReviewDecision", "POST /agents/{slug}/review/{id}": "ReviewDecision", "POST /review/{id}/undo": "ReviewDecision", "POST /review/batch": "ReviewBatchResultList",
		"GET /agents/{slug}/blocked": "BlockedList", "POST /agents/{slug}/blocked/{id}/allow": "Memory",
		"DELETE /agents/{slug}/blocked/{id}": "Blocked", "GET /agents/{slug}/memories/{id}/fixes": "FixList",
		"POST /agents/{slug}/memories/{id}/fixes": "Memory", "GET /agents/{slug}/disagreements": "DisagreementList",
		"GET /agents/{slug}/citations": "DoubtfulList", "GET /agents/{slug}/memories/{id}/citations": "CitationList",
		"POST /agents/{slug}/memories/{id}/citations":               "CitationList",
		"POST /agents/{slug}/memories/{id}/versions/{version}/keep": "Memory",
		"GET /agents/{slug}/memories/{id}/versions":                 "VersionList", "POST /agents/{slug}/memories/{id}/fixes/undo": "Memory",
		"GET /agents/{slug}/memories/{id}/raw": "", "GET /agents/{slug}/sessions": "SessionList",
		"POST /agents/{slug}/memories:deletion": "Deletion", "GET /agents/{slug}/claude-md/parts": "ClaudeMDParts",
		"GET /agents/{slug}/targets": "TargetList", "PUT /agents/{slug}/targets": "TargetList",
		"POST /agents/{slug}/memory-tool": "MemoryToolResult", "GET /agents/{slug}/consolidation": "Consolidation",
		"POST /agents/{slug}/consolidation": "Consolidation", "DELETE /agents/{slug}/consolidation": "Consolidation",
		"POST /agents/{slug}/consolidation/apply": "ConsolidationResultList", "POST /agents/{slug}/consolidation/steps/{id}/undo": "ConsolidationStep",
		"POST /agents/{slug}/extract": "Extraction", "GET /agents/{slug}/proposals": "ProposalList", "GET /agents/{slug}/proposals/{id}": "Proposal",
		"POST /agents/{slug}/proposals/{id}/accept": "Memory", "POST /agents/{slug}/proposals/{id}/refuse": "Proposal",
		"GET /agents/{slug}/logs": "LogDayList", "GET /agents/{slug}/logs/{day}": "LogsOfDay", "POST /agents/{slug}/logs": "", // 201
		"GET /export": "", "POST /import": "ImportReport",
		"GET /agents/{slug}/session-memories": "SessionMemoryList", "GET /agents/{slug}/sessions/{id}/memory": "SessionMemory",
	}
	described := 0
	for path, methods := range document.Paths {
		for method, operation := range methods {
			described++
			call := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")
			schema, known := calls[call]
			if !known || operation.OperationID == "" {
				t.Errorf("the document has an unknown %s", call)
			}
			done := operation.Responses["200"]
			if call == "POST /tokens" { // it always creates one
				done = operation.Responses["201"]
			}
			if schema != "" && done.Content["application/json"].Schema["$ref"] != "#/components/schemas/"+schema {
				t.Errorf("%s answers %v, want %s", call, done.Content, schema)
			}
			for status, response := range operation.Responses {
				if _, isProblem := response.Content["application/problem+json"]; isProblem != (status >= "400") {
					t.Errorf("%s: status %s has %v", call, status, response.Content)
				}
			}
		}
	}
	if described != len(calls) {
		t.Errorf("%d calls are described, want %d", described, len(calls))
	}
	memory := document.Components.Schemas["Memory"]
	if len(memory.Properties) != len(strings.Fields(memoryKeys)) || len(memory.Required) != len(memory.Properties) {
		t.Errorf("the schema of a memory: %v, required %v", memory.Properties, memory.Required)
	}
	for _, status := range []string{"200", "304"} {
		if document.Paths["/api/v1/agents/{slug}/memories/{id}"]["get"].Responses[status].Headers["ETag"] == nil {
			t.Errorf("status %s of one memory is described without its ETag", status)
		}
	}
	if created := document.Paths["/api/v1/agents/{slug}/memories"]["post"].Responses["201"].Headers; created["ETag"] == nil || created["Location"] == nil {
		t.Errorf("a new memory is described with the headers %v", created)
	}
	if anyOf, _ := document.Components.Schemas["BatchResult"].Properties["problem"]["anyOf"].([]any); len(anyOf) != 2 {
		t.Errorf("the problem of a batch's result is described as never null: %v", document.Components.Schemas["BatchResult"].Properties["problem"])
	}
	if strings.Contains(string(r.raw), "$schema") {
		t.Error("answers are described with a member that they do not have")
	}
}

func TestHealth_ReadyAfterScan(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	for _, path := range []string{"/healthz", "/readyz"} {
		if r := s.call("GET", path, nil); r.status != 200 {
			t.Errorf("%s: %d", path, r.status)
		}
	}
}
