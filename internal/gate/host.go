package gate

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// checkHost refuses requests for hosts that this server is not known as. A page of another site that makes its own
// name point here (DNS rebinding) passes as same-origin with its visitor's browser, but not this check.
func (g *Gate) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, ok := hostOf(r.Host)
		if !ok || !isLoopback(host) && !g.hosts[host] {
			g.refuse(w, r, http.StatusMisdirectedRequest, misdirected(r, ok))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func misdirected(r *http.Request, isHost bool) string {
	if !isHost || len(r.Host) > maxOrigin {
		return "This server does not answer to the name in the request's Host header. Use the address that it listens on."
	}
	return fmt.Sprintf("This server does not answer to the name %s. Use the address that it listens on. "+
		"If people are to use that name, start Memoir with --public-url %s, or with --allowed-host and the name.", r.Host, requestedOrigin(r))
}

// hostOf returns the canonical host of a Host header, whatever its port. ok is false where there is none.
func hostOf(header string) (host string, ok bool) {
	if inBrackets, rest, found := strings.Cut(strings.TrimPrefix(header, "["), "]"); found && strings.HasPrefix(header, "[") {
		address, err := netip.ParseAddr(inBrackets)
		return canonicalHost(inBrackets), err == nil && address.Is6() && isPort(rest)
	}
	if address, err := netip.ParseAddr(header); err == nil { // an IPv6 address without brackets, as people write it in a setting
		return address.String(), true
	}
	name, port, found := strings.Cut(header, ":")
	if found && !isPort(":"+port) {
		return "", false
	}
	name = canonicalHost(name)
	return name, name != "" && !strings.ContainsAny(name, "[]/ \t,")
}

// isPort says whether what follows a host is nothing, or a colon and a port.
func isPort(rest string) bool {
	digits := strings.TrimPrefix(rest, ":")
	return rest == "" || digits != rest && strings.Trim(digits, "0123456789") == ""
}

// canonicalHost is a host in lower case, without the root's trailing dot, an address in its shortest form.
func canonicalHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String()
	}
	return host
}
