package mcp

import (
	"encoding/json"
	"testing"
)

func TestNormalised_ReadsArgumentsAsMeant(t *testing.T) {
	t.Parallel()
	schema := inputOf[listInput](false)
	for given, want := range map[string]string{
		`{"limit":"3"}`:                        `{"limit":3}`,
		`{"limit":" 3 "}`:                      `{"limit":3}`,
		`{"limit":"3.0"}`:                      `{"limit":3}`,
		`{"limit":3.0}`:                        `{"limit":3}`,
		`{"limit":"1e2"}`:                      `{"limit":100}`,
		`{"limit":"-1"}`:                       `{"limit":-1}`,
		`{"limit":"3.5"}`:                      `{"limit":3.5}`,
		`{"limit":"three"}`:                    `{"limit":"three"}`,
		`{"limit":"Inf"}`:                      `{"limit":"Inf"}`,
		`{"limit":"NaN"}`:                      `{"limit":"NaN"}`,
		`{"limit":""}`:                         `{}`,
		`{"limit":null}`:                       `{}`,
		`{"limit":[3]}`:                        `{"limit":[3]}`,
		`{"type":"","state":"","cursor":""}`:   `{}`,
		`{"type":"User","state":" MISSING "}`:  `{"state":"missing","type":"user"}`,
		`{"type":"diary"}`:                     `{"type":"diary"}`,
		`{"type":7}`:                           `{"type":7}`,
		`{"agent":"Ada","cursor":"12"}`:        `{"agent":"Ada","cursor":"12"}`,
		`{"unknown":"","other":"1","more":2}`:  `{"more":2,"other":"1"}`,
		`[]`:                                   `[]`,
		`"text"`:                               `"text"`,
		`{"state":"needs_attention\u0000"}`:    `{"state":"needs_attention\u0000"}`,
		`{"limit":"99999999999999999999999"}`:  `{"limit":100000000000000000000000}`,
		`{"limit":99999999999999999999999999}`: `{"limit":99999999999999999999999999}`,
	} {
		if got := string(normalised(schema, json.RawMessage(given))); got != want {
			t.Errorf("normalised(%s) = %s, want %s", given, got, want)
		}
	}
	// An empty required text stays, so that the tool reports the error.
	if got := string(normalised(inputOf[saveInput](false), json.RawMessage(`{"name":"","type":"FEEDBACK","body":"","description":""}`))); got != `{"body":"","name":"","type":"feedback"}` {
		t.Errorf("required texts: %s", got)
	}
}
