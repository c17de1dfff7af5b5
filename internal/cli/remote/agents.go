package remote

import (
	"context"
	"net/http"

	"memoir/internal/agents"
	"memoir/internal/wire"
)

// Agents asks the server for its agents: those whose directory is there, and the others. It returns
// them with slug, layout, directory, display name and JoinedTo only. It returns *AbsentError if no
// Memoir server answers, and an error for users if the server refuses.
func (s Server) Agents(ctx context.Context) (present, absent []agents.Agent, err error) {
	var list wire.AgentList
	if _, err := s.Call(ctx, http.MethodGet, "/agents", nil, &list); err != nil {
		return nil, nil, err
	}
	for _, found := range list.Agents {
		agent := agents.Agent{
			Slug: found.Slug, Layout: agents.Layout(found.Layout), Dir: found.Dir, DisplayName: found.Name,
		}
		if found.JoinedTo != nil {
			agent.JoinedTo = *found.JoinedTo
		}
		if found.Present {
			present = append(present, agent)
		} else {
			absent = append(absent, agent)
		}
	}
	return present, absent, nil
}
