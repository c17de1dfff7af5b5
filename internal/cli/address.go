package cli

import (
	"flag"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// address is where a server is, and what it wants to know.
type address struct {
	url   string // without a slash at its end
	token string // empty: none
	// ownerToken is the owner's token of a server of this machine; used where there is no token.
	ownerToken string
}

// addressFlags adds the flags that say which server is meant. They are read by addressOf.
func (w *World) addressFlags(flags *flag.FlagSet) *address {
	a := &address{}
	flags.StringVar(&a.url, "url", "", "")
	flags.StringVar(&a.token, "token", "", "")
	return a
}

// addressOf completes what the flags say by the environment, and checks it.
func (w *World) addressOf(a *address) (address, error) {
	source := "--url"
	full := *a
	if full.url == "" {
		full.url, _ = w.Env("MEMOIR_URL")
		source = "MEMOIR_URL"
	}
	if full.url == "" {
		full.url = "http://" + dialled(w.Addr)
	}
	if full.token == "" {
		full.token, _ = w.Env("MEMOIR_TOKEN")
	}
	full.url = strings.TrimSuffix(full.url, "/")
	u, err := url.Parse(full.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return address{}, misused("%s %s is not the address of a server: it is written as in http://127.0.0.1:8080", source, full.url)
	}
	if full.token == "" && full.here() && w.OwnerToken != nil {
		full.ownerToken = w.OwnerToken()
	}
	return full, nil
}

// dialled returns where to reach what listens at an address: every address of a machine is reached by the one for itself.
func dialled(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// here reports whether the server is, or would be, on this machine.
func (a address) here() bool {
	u, err := url.Parse(a.url)
	if err != nil {
		return false
	}
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}
