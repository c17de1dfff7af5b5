package gate

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// PublicURL is the server's address through a proxy. The zero value means that there is no proxy.
type PublicURL struct {
	Scheme string // http or https
	Host   string // lower case; without the scheme's default port
}

// ParsePublicURL parses the address of a proxy, such as https://memoir.example.org. It returns an
// error for users unless text is http or https with an ASCII host. A user, query or path is also an
// error, because pages and cookies need the root of a host. The result has no default port.
func ParsePublicURL(text string) (PublicURL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.User != nil ||
		parsed.RawQuery != "" || parsed.Fragment != "" || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "#") {
		return PublicURL{}, errors.New("it must be an address such as https://memoir.example.org")
	}
	host := strings.ToLower(parsed.Host)
	if _, ok := hostOf(host); !ok || strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		return PublicURL{}, errors.New("its host must be a name such as memoir.example.org (xn--… for names in other scripts)")
	}
	if parsed.Path != "" && parsed.Path != "/" {
		return PublicURL{}, errors.New("a path is not supported: use a separate host name or port, such as https://memoir.example.org")
	}
	ownPort := map[string]string{"http": ":80", "https": ":443"}[parsed.Scheme]
	return PublicURL{parsed.Scheme, strings.TrimSuffix(host, ownPort)}, nil
}

// Origin returns the address as in an Origin header, scheme and host. It is "" for the zero value.
func (u PublicURL) Origin() string {
	if u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// IsLocal reports whether the host is a loopback name or address, so that only this machine can
// reach it. It is false for the zero value.
func (u PublicURL) IsLocal() bool {
	host, ok := hostOf(u.Host)
	return ok && isLoopback(host)
}

// maxOrigin is the maximum length of an origin that a refusal repeats, in bytes: the longest host
// name, a scheme and a port.
const maxOrigin = 300

// originOf returns the Origin header. It returns "" if the header is absent, malformed or longer
// than maxOrigin.
func originOf(r *http.Request) string {
	origin := r.Header.Get("Origin")
	parsed, err := url.Parse(origin)
	if err != nil || len(origin) > maxOrigin || parsed.Host == "" || parsed.Scheme+"://"+parsed.Host != origin {
		return ""
	}
	return origin
}

// requestedOrigin returns the origin under which the request reached this server: the Host header,
// with https if this server itself accepted TLS, else http.
func requestedOrigin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (g *Gate) refuseCrossOrigin(w http.ResponseWriter, r *http.Request) {
	origin, public := originOf(r), g.options.PublicURL.Origin()
	detail := "The request comes from another site. Nothing was changed. Use Memoir's pages or a script."
	switch {
	case origin == "":
	case public != "":
		detail = fmt.Sprintf("The request comes from %s, but Memoir's address is %s (--public-url). Nothing was changed. "+
			"Use Memoir's pages, or correct --public-url.", origin, public)
	default:
		detail = fmt.Sprintf("The request comes from %[1]s, but Memoir was reached as %[2]s. Nothing was changed. "+
			"If %[1]s is your proxy, start Memoir with --public-url %[1]s. Otherwise use Memoir's pages.", origin, requestedOrigin(r))
	}
	g.refuse(w, r, http.StatusForbidden, detail)
}

// isSecure reports whether the browser reached Memoir over TLS. It decides by the connection,
// X-Forwarded-Proto, the Origin header, and then Options.PublicURL. X-Forwarded-Proto may be
// forged, because it can only make a cookie stricter. Writes of other origins were refused before.
func (g *Gate) isSecure(r *http.Request) bool {
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return true
	}
	if origin := originOf(r); origin != "" {
		return strings.HasPrefix(origin, "https://")
	}
	return g.options.PublicURL.Scheme == "https"
}
