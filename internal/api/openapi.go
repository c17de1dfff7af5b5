package api

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// version is that of the API, the v1 of its paths.
const version = "1"

// description is the settings of the framework and the head of the OpenAPI document. None of the framework's own
// pages is served: they load scripts from elsewhere.
func description() huma.Config {
	format := huma.Format{Marshal: marshalAnswer, Unmarshal: unmarshal}
	config := huma.DefaultConfig("Memoir", version)
	config.Info.Description = "See, correct and share the memories of your AI agents."
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil                                                            // no $schema members in answers
	config.Formats = map[string]huma.Format{"application/json": format, "json": format} // json: that of problem+json
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "The server's --token, if it has one."},
	}
	config.Security = []map[string][]string{{}, {"token": {}}}
	return config
}

// marshal writes an answer as JSON, with <, > and & as they are.
func marshal(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// alwaysPossible are the statuses that any call can fail with.
var alwaysPossible = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity,
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// call describes a call below /api/v1: its identifier, such as list-agents, what it does in one line, and the statuses
// that it can fail with besides those that any can.
func call(method, path, id, summary string, failures ...int) huma.Operation {
	if strings.Contains(path, "{") {
		failures = append(failures, http.StatusNotFound)
	}
	return huma.Operation{
		Method: method, Path: "/api/v1" + path, OperationID: id, Summary: summary,
		Errors: slices.Sorted(slices.Values(append(failures, alwaysPossible...))),
	}
}

func get(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodGet, path, id, summary, failures...)
}

func post(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodPost, path, id, summary, failures...)
}

func patch(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodPatch, path, id, summary, failures...)
}

func del(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodDelete, path, id, summary, failures...)
}

// answers documents an answer that is not JSON.
func answers(op huma.Operation, mediaType, what string) huma.Operation {
	op.Responses = map[string]*huma.Response{"200": {
		Description: what,
		Content:     map[string]*huma.MediaType{mediaType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	return op
}

// openAPI serves the description of every registered call.
func (a *api) openAPI() http.HandlerFunc {
	document, err := json.Marshal(a.huma.OpenAPI())
	if err != nil {
		panic(err) // made of our own types
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(document) // the client may be gone
	}
}
