package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// writeCertificate writes a self-signed certificate of localhost and its key, and returns it.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTLS_ServesHTTP2AndEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	roots := x509.NewCertPool()
	roots.AddCert(writeCertificate(t, certFile, keyFile, 1))
	const token = "a-token-of-many-letters"
	s := startServer(t, "--token="+token, "--tls-cert="+certFile, "--tls-key="+keyFile)
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(client.CloseIdleConnections)
	do := func(method, path, body string) *http.Response {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, "https://"+s.addr+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		if path == "/sign-in" {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set("Origin", "https://"+s.addr)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	if r := do("GET", "/api/v1/agents", ""); r.StatusCode != http.StatusOK || r.ProtoMajor != 2 {
		t.Errorf("the agents: %s, HTTP/%d", r.Status, r.ProtoMajor)
	}
	cookie, err := http.ParseSetCookie(do("POST", "/sign-in", url.Values{"token": {token}}.Encode()).Header.Get("Set-Cookie"))
	if err != nil || !cookie.Secure {
		t.Errorf("the cookie: %+v, %v", cookie, err)
	}
	signedIn := func() int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+s.addr+"/api/v1/agents", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.AddCookie(cookie)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got := signedIn(); got != http.StatusOK {
		t.Errorf("signed in: %d", got)
	}
	out, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+s.addr+"/sign-out", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	out.AddCookie(cookie)
	if response, err := client.Do(out); err != nil || response.StatusCode != http.StatusSeeOther {
		t.Errorf("sign-out: %v, %v", response, err)
	} else {
		response.Body.Close()
	}
	if got := signedIn(); got != http.StatusUnauthorized {
		t.Errorf("signed out, with the cookie kept: %d", got)
	}
	events := do("GET", "/api/v1/events", "")
	lines := bufio.NewScanner(events.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "retry:") || events.ProtoMajor != 2 {
		t.Fatalf("the events begin with %q, HTTP/%d", lines.Text(), events.ProtoMajor)
	}
	note := memoirtest.Note("Tabs", memories.Feedback, "Use spaces.")
	if err := os.WriteFile(filepath.Join(s.dir, "agents", "ada", "memory", "tabs.md"), []byte(note), 0o644); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() && !strings.Contains(lines.Text(), `"saved"`) {
	}
	if err := lines.Err(); err != nil || !strings.Contains(lines.Text(), `"Tabs"`) {
		t.Errorf("the event: %q, %v", lines.Text(), err)
	}
}

func TestTLS_RenewedCertificateIsLoaded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	c, err := newCertificate(certFile, keyFile, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := func() int64 {
		t.Helper()
		c.checked = time.Time{} // check the files again
		got, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.Leaf.SerialNumber.Int64()
	}
	if got := served(); got != 1 {
		t.Errorf("serial = %d, want 1", got)
	}
	later := filepath.Join(dir, "later.pem")
	writeCertificate(t, certFile, later, 22222) // the key is replaced later
	if got := served(); got != 1 {
		t.Errorf("with half of a renewal, serial = %d, want 1", got)
	}
	if err := os.Rename(later, keyFile); err != nil {
		t.Fatal(err)
	}
	if got := served(); got != 22222 {
		t.Errorf("renewed, serial = %d, want 22222", got)
	}
	if _, err := newCertificate(filepath.Join(dir, "none.pem"), keyFile, c.log); err == nil || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("without a file: %v", err)
	}
}
