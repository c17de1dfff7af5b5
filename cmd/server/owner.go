package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/gate"
)

// ownerTokenName is the name of the file in the data directory with the owner's token.
const ownerTokenName = "owner-token"

// ownerAccess is how a server without --token recognises its owner. The zero value means by the
// kernel.
type ownerAccess struct {
	token string
	file  string // the token's file
	code  string // one-time code for the browser
}

// accessOfOwner returns how the owner is recognised. If canIdentify returns true, the kernel
// identifies users, and the result is zero. Else it returns the owner's token, which it keeps in a
// private file in dataDir, and a new one-time code. It returns *settingsError if a token is needed
// and dataDir is empty.
func accessOfOwner(dataDir string, canIdentify func() bool) (ownerAccess, error) {
	if canIdentify() {
		return ownerAccess{}, nil
	}
	if dataDir == "" {
		return ownerAccess{}, &settingsError{errors.New("this system does not report the user of a connection, and no data directory can keep a token: set --token or --data-dir")}
	}
	file := filepath.Join(dataDir, ownerTokenName)
	token, err := ownerToken(file)
	if err != nil {
		return ownerAccess{}, fmt.Errorf("cannot keep the owner's token: %w. Set --token", err)
	}
	return ownerAccess{token: token, file: file, code: rand.Text()}, nil
}

// ownerToken returns the token in a file. If the file is missing, empty or not regular, or others
// can access it, a new private file with a new token replaces it. It creates missing parents.
func ownerToken(file string) (string, error) {
	token, err := readOwnerToken(file)
	if err != nil || token != "" {
		return token, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	token = rand.Text()
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = out.WriteString(token + "\n")
	return token, errors.Join(err, out.Sync(), out.Close())
}

// readOwnerToken returns the token in a file. It returns "" and nil if the file is missing, is no
// regular file, or has permissions for the group or others.
func readOwnerToken(file string) (string, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0:
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// ownerTokenFromEnvironment returns the owner's token of a server with this environment, from the
// file in its data directory. It returns "" if there is no such file, others could read it, or it
// cannot be read.
func ownerTokenFromEnvironment() string {
	c := defaults(os.LookupEnv)
	if dir, _ := os.LookupEnv("MEMOIR_DATA_DIR"); dir != "" {
		c.dataDir = dir
	}
	if c.dataDir == "" {
		return ""
	}
	token, err := readOwnerToken(filepath.Join(c.dataDir, ownerTokenName))
	if err != nil {
		return "" // the server will ask for it
	}
	return token
}

// link returns the URL with which a browser can sign in once. It returns "" if a has no code,
// because the kernel identifies the owner. given is the address as configured, and found the actual
// one.
func (a ownerAccess) link(scheme, given string, found net.Addr) string {
	if a.code == "" {
		return ""
	}
	at := url.URL{Scheme: scheme, Host: displayAddress(given, found), Path: gate.SignInPath, RawQuery: url.Values{"code": {a.code}}.Encode()}
	return at.String()
}
