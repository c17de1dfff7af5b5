package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestInfo_String(t *testing.T) {
	t.Parallel()
	fromGit := []debug.BuildSetting{
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-11-26T12:00:00Z"},
	}
	for _, c := range []struct {
		name, release string
		build         *debug.BuildInfo
		want          string
	}{
		{"release", "v1.2.3", &debug.BuildInfo{Settings: fromGit}, "v1.2.3 (commit 0123456789ab, 2026-11-26T12:00:00Z, "},
		{"plain build", "", &debug.BuildInfo{Settings: fromGit}, "devel (commit 0123456789ab, 2026-11-26T12:00:00Z, "},
		{
			"uncommitted changes", "",
			&debug.BuildInfo{Settings: append(fromGit[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})},
			"devel (commit 0123456789ab with uncommitted changes, 2026-11-26T12:00:00Z, ",
		},
		{"outside a repository", "", &debug.BuildInfo{}, "devel ("},
		{"no build information", "v1.2.3", nil, "v1.2.3 ("},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			info := infoOf(c.release, c.build)
			if got, want := info.String(), c.want+info.Platform+", "+info.Go+")"; got != want {
				t.Errorf("String() = %q, want %q", got, want)
			}
			if strings.Contains(info.String(), ", ,") {
				t.Errorf("String() = %q has an empty part", info.String())
			}
		})
	}
}
