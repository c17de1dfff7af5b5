package gate

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// checkHost returns a handler that calls next if the request's host is a loopback name or address,
// or a configured host. Otherwise the handler answers 421. This prevents DNS rebinding, where the
// name of another site points to this server.
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
		return "Unknown host name in the Host header. Use the server's address."
	}
	return fmt.Sprintf("Unknown host name %s. Use the server's address. "+
		"To allow the name, start Memoir with --public-url %s, or with --allowed-host.", r.Host, requestedOrigin(r))
}

// hostOf returns the canonical host of a Host header, without the port. It also accepts an IPv6
// address without brackets. ok is false if the header is empty or malformed.
func hostOf(header string) (host string, ok bool) {
	if inBrackets, rest, found := strings.Cut(strings.TrimPrefix(header, "["), "]"); found && strings.HasPrefix(header, "[") {
		address, err := netip.ParseAddr(inBrackets)
		return canonicalHost(inBrackets), err == nil && address.Is6() && isPort(rest)
	}
	// an IPv6 address without brackets, as in a setting
	if address, err := netip.ParseAddr(header); err == nil {
		return address.String(), true
	}
	name, port, found := strings.Cut(header, ":")
	if found && !isPort(":"+port) {
		return "", false
	}
	name = canonicalHost(name)
	return name, name != "" && !strings.ContainsAny(name, "[]/ \t,")
}

// isPort reports whether rest is empty, or a colon followed only by digits. It accepts a colon
// alone.
func isPort(rest string) bool {
	digits := strings.TrimPrefix(rest, ":")
	return rest == "" || digits != rest && strings.Trim(digits, "0123456789") == ""
}

// canonicalHost returns a host name in lower case without a trailing dot, and an IP address in its
// shortest form.
func canonicalHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String()
	}
	return host
}
