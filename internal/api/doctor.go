package api

import (
	"context"

	"memoir/internal/doctor"
	build "memoir/internal/version"
)

// Doctor is what the server has found out about itself and its machine.
type Doctor struct {
	Version string         `json:"version" doc:"Version of the server's program."`
	Commit  string         `json:"commit" doc:"Its commit; empty if unknown."`
	Checks  []doctor.Check `json:"checks" nullable:"false"`
}

func (a *api) registerDoctor() {
	register(a, get("/doctor", "get-doctor", "Check the server, its database and its machine"), a.getDoctor)
}

func (a *api) getDoctor(ctx context.Context, _ *struct{}) (*answer[Doctor], error) {
	found := Doctor{Version: build.Current().Version, Commit: build.Current().Commit, Checks: []doctor.Check{}}
	if a.options.Examine != nil {
		found.Checks = a.options.Examine(ctx)
	}
	return ok(found), nil
}
