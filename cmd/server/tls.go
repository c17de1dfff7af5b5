package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateCheck is the minimum time between two checks of the certificate's files (arbitrary).
const certificateCheck = 10 * time.Second

// certificate is a TLS certificate that is reloaded when its files change, so that a renewal needs
// no restart.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	loaded  *tls.Certificate
	version string    // of the files
	checked time.Time // time of the last check
}

// newCertificate loads the certificate in two PEM files and returns it. It returns an error for
// users if they cannot be read or do not fit together.
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

// filesVersion returns the modification times and sizes of both files as text, which differs after
// a change. It leaves out a file that cannot be examined.
func (c *certificate) filesVersion() string {
	version := ""
	for _, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			version += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
		}
	}
	return version
}

// get returns the certificate for a connection, and never an error. At most every certificateCheck,
// it first loads the files again if they have changed, and logs this. If they cannot be loaded, it
// returns the previous certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < certificateCheck {
		return c.loaded, nil
	}
	c.checked = time.Now()
	if c.filesVersion() != c.version {
		if err := c.load(); err != nil {
			c.log.Warn("changed TLS certificate not loaded, using the previous one", "error", err)
		} else {
			c.log.Info("TLS certificate reloaded")
		}
	}
	return c.loaded, nil
}

// tlsConfig loads the certificate and returns TLS settings that use it and load changed files
// again. It returns nil and nil if --tls-cert is not set, and an error for users if the certificate
// cannot be loaded.
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
