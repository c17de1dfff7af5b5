package cli

import (
	"flag"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"memoir/internal/cli/remote"
)

// addressFlags adds the flags --url and --token to flags. The address that it returns is set when
// flags are parsed; addressOf then returns a complete copy of it.
func addressFlags(flags *flag.FlagSet) *remote.Server {
	a := &remote.Server{}
	flags.StringVar(&a.URL, "url", "", "")
	flags.StringVar(&a.Token, "token", "", "")
	return a
}

// addressOf returns a copy of a with the missing parts. The URL is then MEMOIR_URL, else the one
// for w.Addr; the token is MEMOIR_TOKEN. Without any token, it adds the owner's token if the URL is
// local. It returns a *usageError if the URL is no http or https URL, or has a user, a query or a
// fragment.
func (w *World) addressOf(a *remote.Server) (remote.Server, error) {
	source := "--url"
	full := *a
	if full.URL == "" {
		full.URL, _ = w.Env("MEMOIR_URL")
		source = "MEMOIR_URL"
	}
	if full.URL == "" {
		full.URL = "http://" + dialAddress(w.Addr)
	}
	if full.Token == "" {
		full.Token, _ = w.Env("MEMOIR_TOKEN")
	}
	full.URL = strings.TrimSuffix(full.URL, "/")
	u, err := url.Parse(full.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return remote.Server{}, misused("%s %s must be an address such as http://127.0.0.1:8080", source, full.URL)
	}
	if full.Token == "" && full.IsLocal() && w.OwnerToken != nil {
		full.OwnerToken = w.OwnerToken()
	}
	return full, nil
}

// dialAddress returns the address to dial for a server that listens at addr. An empty or
// unspecified host, such as 0.0.0.0, becomes 127.0.0.1. It returns addr itself if that is no
// address with a port.
func dialAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
