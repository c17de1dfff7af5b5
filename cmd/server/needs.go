package main

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/access"
	"memoir/internal/exporter"
	"memoir/internal/metrics"
)

// adminPaths are the beginnings of the paths that only admins may use, with any method: tokens, what
// adds agents, and backups, which have the data of all agents.
var adminPaths = []string{"/api/v1/tokens", "/api/v1/backup", "/access", "/samples"}

// serverPaths are the beginnings of the paths that describe the server with all its agents. A caller
// who may not see every agent may not use them.
var serverPaths = []string{metrics.Path, "/api/v1/doctor"}

// readingPosts are the POSTs that readers may send. Their handlers record nothing for readers. MCP
// checks each call itself.
var readingPosts = regexp.MustCompile(`^(/api/v1/agents/[^/]+/recall|/mcp|/hooks/[^/]*)$`)

// agentPosts are the POSTs that an agent needs besides: saving memories and logs, and reports of written
// files. The memory tool checks deletions itself.
var agentPosts = regexp.MustCompile(`^/api/v1/agents/[^/]+/(memories|memory-tool|logs|scan)$`)

// needs returns the scope that a request needs. GET and HEAD need access.Read, and other requests
// access.Write, except for the paths above. An export that readers may not have needs access.Write.
// It compares escaped paths where the result is smaller, so that an unusual escape never makes a
// request cheaper.
func needs(r *http.Request) access.Scope {
	if isBelow(r.URL.Path, adminPaths) {
		return access.Admin
	}
	path := r.URL.EscapedPath()
	switch {
	case r.URL.Path == "/api/v1/export" && hasSecrets(r.URL.Query()):
		return access.Write
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		return access.Read
	case r.Method == http.MethodPost && readingPosts.MatchString(path):
		return access.Read
	case r.Method == http.MethodPost && agentPosts.MatchString(path):
		return access.Agent
	}
	return access.Write
}

// needsAllAgents reports whether a request needs a caller who sees every agent.
func needsAllAgents(r *http.Request) bool { return isBelow(r.URL.Path, serverPaths) }

// isBelow reports whether a path is one of the beginnings, or below one.
func isBelow(path string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return path == b || strings.HasPrefix(path, b+"/") })
}

// hasSecrets reports whether the query of an export asks for what is masked for readers.
func hasSecrets(query url.Values) bool {
	format := cmp.Or(exporter.Format(query.Get("format")), exporter.Archive)
	return exporter.Request{Format: format, Secrets: query.Get("secrets") == "include"}.HasSecrets()
}
