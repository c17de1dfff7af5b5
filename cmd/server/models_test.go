package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/model"
)

func TestBackgroundModel_Choice(t *testing.T) {
	t.Parallel()
	installed := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(installed, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config modelConfig
		is     string // empty for no model
	}{
		"with a key, over the API":        {modelConfig{background: "m", command: installed, endpoint: model.Endpoint{Key: "k"}}, "m, over the Messages API"},
		"without, by the command line":    {modelConfig{background: "m", command: installed}, "m, by the claude command line"},
		"not where it is not installed":   {modelConfig{background: "m", command: installed + "x"}, ""},
		"not where it is switched off":    {modelConfig{background: "m"}, ""},
		"not where no model is named":     {modelConfig{command: installed, endpoint: model.Endpoint{Key: "k"}}, ""},
		"whatever chooses what to recall": {modelConfig{name: "quick", background: "m", endpoint: model.Endpoint{Key: "k"}}, "m, over the Messages API"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := backgroundModel(c.config, nil, slog.New(slog.DiscardHandler))
			if found.description != c.is || (found.Model == nil) != (c.is == "") {
				t.Errorf("it is %q (%v)", found.description, found.Model)
			}
		})
	}
	// A user waits for a recall, and the command line takes seconds.
	if by := selectorOf(modelConfig{name: "quick", command: installed}, slog.New(slog.DiscardHandler)); by != nil {
		t.Errorf("without a key %v chooses", by)
	}
	if !strings.Contains(usage, "--claude-command") {
		t.Error("the help does not say how to name the command line")
	}
}
