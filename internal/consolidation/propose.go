package consolidation

import (
	"context"

	"memoir/internal/postgres"
)

// asked is what came of asking the model.
type asked struct {
	note          string
	input, output int
}

func (c *Consolidator) propose(ctx context.Context, agent postgres.Agent, draft *draftPlan) (asked, error) {
	return asked{}, nil
}
