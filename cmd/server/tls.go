package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateCheck is how often the files of the certificate are looked at, at a connection.
const certificateCheck = 10 * time.Second

// certificate is a certificate with its key that is loaded again when its files change, so that a
// renewal needs no restart.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	loaded  *tls.Certificate
	version string    // of the files
	checked time.Time // when the files were last looked at
}

// newCertificate loads the certificate. Its errors are for the person who starts the server.
func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key cannot be used: %w", err)
	}
	return c, nil
}

func (c *certificate) load() error {
	version := c.filesVersion()
	loaded, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.loaded, c.version, c.checked = &loaded, version, time.Now()
	return nil
}

// filesVersion changes when one of the files does.
func (c *certificate) filesVersion() string {
	version := ""
	for _, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			version += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
		}
	}
	return version
}

// get returns the certificate for a connection. If changed files cannot be loaded, for example
// because only one of them was replaced yet, it returns the one before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < certificateCheck {
		return c.loaded, nil
	}
	c.checked = time.Now()
	if c.filesVersion() != c.version {
		if err := c.load(); err != nil {
			c.log.Warn("changed TLS certificate cannot be loaded, using the one before", "error", err)
		} else {
			c.log.Info("TLS certificate loaded again")
		}
	}
	return c.loaded, nil
}

// tlsConfig returns the settings of TLS; nil if there is no certificate.
func tlsConfig(c config, log *slog.Logger) (*tls.Config, error) {
	if c.tlsCert == "" {
		return nil, nil
	}
	found, err := newCertificate(c.tlsCert, c.tlsKey, log)
	if err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: found.get, MinVersion: tls.VersionTLS12}, nil
}
