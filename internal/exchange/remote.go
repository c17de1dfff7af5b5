package exchange

import (
	"net/url"
	"regexp"
	"strings"
)

// NoAgent is a slug that no agent has. An agent from elsewhere that is mapped to it is left out.
const NoAgent = "?"

var scpLike = regexp.MustCompile(`^(?:[^/@]+@)?([^/:]+):(.+)$`)

// NormalRemote returns the URL of a Git remote without scheme, user, port and .git, so that the ways
// to reach one repository are the same: github.com/owner/name.
func NormalRemote(remote string) string {
	remote = strings.TrimSpace(remote)
	host, dir := "", remote
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		host, dir = u.Hostname(), u.Path
	} else if parts := scpLike.FindStringSubmatch(remote); parts != nil {
		host, dir = parts[1], parts[2]
	}
	dir = strings.TrimSuffix(strings.TrimRight(dir, "/"), ".git")
	if host == "" {
		return dir
	}
	return strings.ToLower(host) + "/" + strings.TrimLeft(dir, "/")
}
