// Package version describes the build of the running program.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// release is the version of a release, such as v1.2.3. The linker sets it: see scripts/release.
var release string

// devel is the version of a build that is no release.
const devel = "devel"

// Info describes a build. Its JSON is printed by memoir version --json.
type Info struct {
	Version  string `json:"version"`  // vMAJOR.MINOR.PATCH of a release, else devel
	Commit   string `json:"commit"`   // Git commit; empty if built outside a repository
	Date     string `json:"date"`     // time of the commit, RFC 3339 in UTC; empty without a commit
	Modified bool   `json:"modified"` // built with uncommitted changes
	Go       string `json:"go"`       // version of the Go compiler
	Platform string `json:"platform"` // such as linux/amd64
}

// Current returns the build of the running program.
func Current() Info {
	build, _ := debug.ReadBuildInfo()
	return infoOf(release, build)
}

// infoOf returns the build with the given release and build information. release is empty for a
// build that is no release. build may be nil.
func infoOf(release string, build *debug.BuildInfo) Info {
	info := Info{Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info.Version == "" {
		info.Version = devel
	}
	if build == nil {
		return info
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			info.Commit = setting.Value
		case "vcs.time":
			info.Date = setting.Value
		case "vcs.modified":
			info.Modified = setting.Value == "true"
		}
	}
	return info
}

// shortCommit is the number of hexadecimal digits of a commit in String, as in Go's own versions.
const shortCommit = 12

// String returns the build in one line, such as
// "v1.2.3 (commit 0123456789ab, 2026-11-26T12:00:00Z, linux/amd64, go1.26.8)".
func (i Info) String() string {
	var details []string
	if i.Commit != "" {
		commit := "commit " + i.Commit[:min(shortCommit, len(i.Commit))]
		if i.Modified {
			commit += " with uncommitted changes"
		}
		details = append(details, commit, i.Date)
	}
	details = append(details, i.Platform, i.Go)
	return fmt.Sprintf("%s (%s)", i.Version, strings.Join(details, ", "))
}
