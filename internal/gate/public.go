package gate

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// PublicURL is the address that people use when a proxy is in front of the server. The zero value
// means that there is none.
type PublicURL struct {
	Scheme string // http or https
	Host   string // lower case, with the port unless it is the scheme's own
}

// ParsePublicURL reads the address of a proxy. It refuses a path, because pages and cookies are
// made for the root of a host.
func ParsePublicURL(text string) (PublicURL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.User != nil ||
		parsed.RawQuery != "" || parsed.Fragment != "" || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "#") {
		return PublicURL{}, errors.New("it is the address that people use, such as https://memoir.example.org")
	}
	host := strings.ToLower(parsed.Host)
	if _, ok := hostOf(host); !ok || strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		return PublicURL{}, errors.New("its host is no host name, such as memoir.example.org (xn--… for names in other scripts)")
	}
	if parsed.Path != "" && parsed.Path != "/" {
		return PublicURL{}, errors.New("a path is not supported: give Memoir a host name or a port of its own, such as https://memoir.example.org")
	}
	ownPort := map[string]string{"http": ":80", "https": ":443"}[parsed.Scheme]
	return PublicURL{parsed.Scheme, strings.TrimSuffix(host, ownPort)}, nil
}

// Origin returns the address as browsers send it; empty if there is none.
func (u PublicURL) Origin() string {
	if u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// IsLocal reports whether only this machine can use the address.
func (u PublicURL) IsLocal() bool {
	host, ok := hostOf(u.Host)
	return ok && isLoopback(host)
}

// maxOrigin is the longest origin that a refusal repeats: the longest host name, with room for the
// scheme and the port.
const maxOrigin = 300

// originOf returns the origin that a browser sends with a write; empty if there is none, or none
// that can be repeated.
func originOf(r *http.Request) string {
	origin := r.Header.Get("Origin")
	parsed, err := url.Parse(origin)
	if err != nil || len(origin) > maxOrigin || parsed.Host == "" || parsed.Scheme+"://"+parsed.Host != origin {
		return ""
	}
	return origin
}

// requestedOrigin returns the origin under which the request reached this server.
func requestedOrigin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (g *Gate) refuseCrossOrigin(w http.ResponseWriter, r *http.Request) {
	origin, public := originOf(r), g.options.PublicURL.Origin()
	detail := "This write comes from another site than Memoir's own pages. Nothing was changed. Do it from Memoir itself, or from a script."
	switch {
	case origin == "":
	case public != "":
		detail = fmt.Sprintf("This write comes from %s, but Memoir's pages are at %s (--public-url). Nothing was changed. "+
			"If people use Memoir at the first address, change --public-url to it. Else do it from Memoir itself.", origin, public)
	default:
		detail = fmt.Sprintf("This write comes from %s, but Memoir was reached as %s. Nothing was changed. "+
			"If the first is the address of a proxy of yours in front of Memoir, start Memoir with --public-url %[1]s. Else do it from Memoir itself.", origin, requestedOrigin(r))
	}
	g.refuse(w, r, http.StatusForbidden, detail)
}

// isSecure reports whether the browser reached Memoir over TLS, here or at a proxy. The origin is
// one of ours: writes from others do not come so far. X-Forwarded-Proto can only make a cookie
// stricter, so it may come from anybody.
func (g *Gate) isSecure(r *http.Request) bool {
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return true
	}
	if origin := originOf(r); origin != "" {
		return strings.HasPrefix(origin, "https://")
	}
	return g.options.PublicURL.Scheme == "https"
}
