package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// version is the version of the API. It is the v1 in the paths.
const version = "1"

// description returns the settings of huma, with the title and security of the OpenAPI document. It
// turns off huma's own pages, because they load scripts from other sites.
func description() huma.Config {
	format := huma.Format{Marshal: marshalAnswer, Unmarshal: unmarshal}
	config := huma.DefaultConfig("Memoir", version)
	config.Info.Description = "See, correct and share the memories of your AI agents."
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema members in answers
	// "json" is for application/problem+json
	config.Formats = map[string]huma.Format{"application/json": format, "json": format}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "The server's --token, if it has one."},
	}
	config.Security = []map[string][]string{{}, {"token": {}}}
	return config
}

// commonFailures are the statuses that any call can fail with.
var commonFailures = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity,
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// bodyFailures are the statuses that any call with a request body can fail with.
var bodyFailures = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

// call returns the operation for path, which is relative to /api/v1. id is its OpenAPI identifier,
// such as list-agents. The documented errors are failures, commonFailures, and 404 if path has
// parameters.
func call(method, path, id, summary string, failures ...int) huma.Operation {
	if strings.Contains(path, "{") {
		failures = append(failures, http.StatusNotFound)
	}
	return huma.Operation{
		Method: method, Path: "/api/v1" + path, OperationID: id, Summary: summary,
		Errors: slices.Sorted(slices.Values(append(failures, commonFailures...))),
	}
}

func get(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodGet, path, id, summary, failures...)
}

func post(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodPost, path, id, summary, failures...)
}

func put(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodPut, path, id, summary, failures...)
}

func patch(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodPatch, path, id, summary, failures...)
}

func del(path, id, summary string, failures ...int) huma.Operation {
	return call(http.MethodDelete, path, id, summary, failures...)
}

// withMediaType returns op with its response 200 documented as text of a media type other than
// JSON.
func withMediaType(op huma.Operation, mediaType, description string) huma.Operation {
	op.Responses = map[string]*huma.Response{"200": {
		Description: description,
		Content:     map[string]*huma.MediaType{mediaType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	return op
}

// openAPI returns a handler that answers the OpenAPI document. The document has only the calls that
// were registered before openAPI is called.
func (a *api) openAPI() http.HandlerFunc {
	document, err := json.Marshal(a.huma.OpenAPI())
	if err != nil {
		panic(err) // the types are fixed, so this is a bug
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(document) // the client may have disconnected
	}
}
