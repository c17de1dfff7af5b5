package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/problem"
	"memoir/internal/sync"
)

// maxBatch is how many memories one batch may name: as many as the longest page of a list.
const maxBatch = 500

// Batch names the memories of an agent with which something is to be done at once, in this order.
type Batch struct {
	Delete  []string `json:"delete,omitempty" doc:"Ids of memories to delete." maxItems:"500"`
	Restore []string `json:"restore,omitempty" doc:"Ids of memories to restore." maxItems:"500"`
	Purge   []string `json:"purge,omitempty" doc:"Ids of memories to delete permanently, from the trash too." maxItems:"500"`
	Verify  []string `json:"verify,omitempty" doc:"Ids of memories that are still true." maxItems:"500"`
}

// BatchResult is what became of one memory of a batch.
type BatchResult struct {
	ID      string           `json:"id"`
	Op      string           `json:"op" enum:"delete,restore,purge,verify"`
	Status  int              `json:"status" doc:"The status that a request for this memory alone would have."`
	Problem *problem.Problem `json:"problem"`
}

// TransformSchema says that there may be no problem, which the framework does not say of an object by itself.
func (BatchResult) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	described := schema.Properties["problem"]
	schema.Properties["problem"] = &huma.Schema{
		Description: "Why it failed; null if it did not.",
		AnyOf:       []*huma.Schema{{Ref: described.Ref}, {Type: "null"}},
	}
	return schema
}

// BatchResultList has a result for each memory of a batch, in the order in which they were dealt with.
type BatchResultList struct {
	Results []BatchResult `json:"results" nullable:"false"`
}

func (a *api) registerBatch() {
	register(a, post("/agents/{slug}/memories:batch", "batch-memories", "Delete, restore, purge or verify several memories",
		http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType), a.batch)
	register(a, post("/agents/{slug}/memories/{id}/verify", "verify-memory", "Mark a memory as still true, which resets its age",
		http.StatusConflict, http.StatusPreconditionFailed), a.verifyMemory)
}

type batchInput struct {
	AgentPath
	Body Batch
}

// batch deals with each memory as the call for it alone would: what fails does not stop the others.
func (a *api) batch(ctx context.Context, in *batchInput) (*answer[BatchResultList], error) {
	if _, err := a.store.AgentUncounted(ctx, in.Slug); err != nil {
		return nil, err
	}
	if len(in.Body.Delete)+len(in.Body.Restore)+len(in.Body.Purge)+len(in.Body.Verify) > maxBatch {
		return nil, unprocessable(problem.Field{Location: "body", Message: "names more than 500 memories; send the rest in another batch"})
	}
	results := []BatchResult{}
	for _, part := range []struct {
		op  string
		ids []string
		do  func(ctx context.Context, slug string, all []sync.MemoryRef) []error
	}{
		{"delete", in.Body.Delete, a.engine.DeleteMany},
		{"restore", in.Body.Restore, a.engine.RestoreMany},
		{"purge", in.Body.Purge, a.engine.PurgeMany},
		{"verify", in.Body.Verify, a.engine.VerifyMany},
	} {
		for i, err := range part.do(ctx, in.Slug, whatever(part.ids)) {
			result := BatchResult{ID: part.ids[i], Op: part.op, Status: http.StatusOK}
			if err != nil {
				result.Problem = a.problem(ctx, "body", err)
				result.Status = result.Problem.Status
			}
			results = append(results, result)
		}
	}
	return &answer[BatchResultList]{BatchResultList{results}}, nil
}

// whatever names memories without saying what was seen of them.
func whatever(ids []string) []sync.MemoryRef {
	all := make([]sync.MemoryRef, len(ids))
	for i, id := range ids {
		all[i].ID = id
	}
	return all
}

type verifyMemoryInput struct {
	MemoryPath
	Precondition
}

func (a *api) verifyMemory(ctx context.Context, in *verifyMemoryInput) (*memoryAnswer, error) {
	match, err := a.match(ctx, in.MemoryPath, in.Precondition)
	if err != nil {
		return nil, err
	}
	return written(a.engine.Verify(ctx, in.Slug, in.ID, match))
}
