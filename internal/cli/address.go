package cli

import (
	"flag"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// address is the URL of a server, with the token to use there.
type address struct {
	url   string // without a slash at its end
	token string // empty if none was given
	// ownerToken is the owner's token of a server on this machine, for use without a token.
	ownerToken string
}

// addressFlags adds the flags --url and --token to flags. The address that it returns is set when
// flags are parsed; addressOf then returns a complete copy of it.
func addressFlags(flags *flag.FlagSet) *address {
	a := &address{}
	flags.StringVar(&a.url, "url", "", "")
	flags.StringVar(&a.token, "token", "", "")
	return a
}

// addressOf returns a copy of a with the missing parts. The URL is then MEMOIR_URL, else the one
// for w.Addr; the token is MEMOIR_TOKEN. Without any token, it adds the owner's token if the URL is
// local. It returns a *usageError if the URL is no http or https URL, or has a user, a query or a
// fragment.
func (w *World) addressOf(a *address) (address, error) {
	source := "--url"
	full := *a
	if full.url == "" {
		full.url, _ = w.Env("MEMOIR_URL")
		source = "MEMOIR_URL"
	}
	if full.url == "" {
		full.url = "http://" + dialAddress(w.Addr)
	}
	if full.token == "" {
		full.token, _ = w.Env("MEMOIR_TOKEN")
	}
	full.url = strings.TrimSuffix(full.url, "/")
	u, err := url.Parse(full.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return address{}, misused("%s %s must be an address such as http://127.0.0.1:8080", source, full.url)
	}
	if full.token == "" && full.isLocal() && w.OwnerToken != nil {
		full.ownerToken = w.OwnerToken()
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

// isLocal reports whether the URL's host is localhost or a loopback address. It is false for all
// other names, even if they lead to this machine, and for an invalid URL.
func (a address) isLocal() bool {
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
