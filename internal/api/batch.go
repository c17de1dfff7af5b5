package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/problem"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// maxBatch is the maximum number of ids in a batch. It is the same as the longest page of a list.
const maxBatch = 500

// Batch lists ids of memories for each operation. The operations run in the order of the fields.
type Batch struct {
	Delete  []string `json:"delete,omitempty" doc:"Ids of memories to delete." maxItems:"500"`
	Restore []string `json:"restore,omitempty" doc:"Ids of memories to restore." maxItems:"500"`
	Purge   []string `json:"purge,omitempty" doc:"Ids of memories to delete permanently, from the trash too." maxItems:"500"`
	Verify  []string `json:"verify,omitempty" doc:"Ids of memories that are still true." maxItems:"500"`
}

// BatchResult is the result of one operation on one memory of a batch.
type BatchResult struct {
	ID      string           `json:"id"`
	Op      string           `json:"op" enum:"delete,restore,purge,verify"`
	Status  int              `json:"status" doc:"The status that a request for this memory alone would have."`
	Problem *problem.Problem `json:"problem"`
}

// TransformSchema changes the property problem of schema so that it may be null, and returns
// schema. huma never adds the null for objects.
func (BatchResult) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return orNull(schema, "problem", "Why it failed; null if it did not.")
}

// BatchResultList lists one result for each id of a batch, in the order of the operations.
type BatchResultList struct {
	Results []BatchResult `json:"results" nullable:"false"`
}

func (a *api) registerBatch() {
	register(a, post("/agents/{slug}/memories:batch", "batch-memories", "Delete, restore, purge or verify several memories"), a.batch)
	register(a, post("/agents/{slug}/memories/{id}/verify", "verify-memory", "Mark a memory as still true, which resets its age",
		http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.verifyMemory))
}

type batchInput struct {
	AgentPath
	Body Batch
}

// batch deletes, restores, purges and verifies the requested memories, in this order, and returns a
// result for each. The failure of one memory is the Problem of its result and does not stop the
// others. If the agent does not exist, batch returns memories.ErrNotFound; for more than maxBatch
// ids, a 422 problem. Then nothing is changed.
func (a *api) batch(ctx context.Context, in *batchInput) (*answer[BatchResultList], error) {
	if _, err := a.store.AgentUncounted(ctx, in.Slug); err != nil {
		return nil, err
	}
	if len(in.Body.Delete)+len(in.Body.Restore)+len(in.Body.Purge)+len(in.Body.Verify) > maxBatch {
		return nil, unprocessable(problem.Field{Location: "body", Message: "names more than 500 memories; send the rest in another batch"})
	}
	results := []BatchResult{}
	for _, operation := range []struct {
		op  string
		ids []string
		run func(ctx context.Context, slug string, all []engine.MemoryRef) []error
	}{
		{"delete", in.Body.Delete, a.engine.DeleteMany},
		{"restore", in.Body.Restore, a.engine.RestoreMany},
		{"purge", in.Body.Purge, a.engine.PurgeMany},
		{"verify", in.Body.Verify, a.engine.VerifyMany},
	} {
		memories := wire.List(operation.ids, func(id string) engine.MemoryRef { return engine.MemoryRef{ID: id} })
		for i, err := range operation.run(ctx, in.Slug, memories) {
			result := BatchResult{ID: operation.ids[i], Op: operation.op, Status: http.StatusOK}
			if err != nil {
				result.Problem = a.problem(ctx, "body", err)
				result.Status = result.Problem.Status
			}
			results = append(results, result)
		}
	}
	return &answer[BatchResultList]{BatchResultList{results}}, nil
}

func (a *api) verifyMemory(ctx context.Context, in *MemoryWrite, match string) (*memoryAnswer, error) {
	return written(a.engine.Verify(ctx, in.Slug, in.ID, match))
}
