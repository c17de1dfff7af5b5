package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"memoir/internal/access/oidc"
	"memoir/internal/gate"
)

// oidcConfig holds the settings of the sign-in at an OpenID Connect provider.
type oidcConfig struct {
	issuer, clientID string // both or neither
	secret           string // empty for a client without one, or with secretFile
	secretFile       string // absolute; empty without one
	claim            string // the claim that is the login
}

// oidcSecret is the variable with the client's secret. It has no flag, because other users can read
// the process list.
const oidcSecret = "MEMOIR_OIDC_CLIENT_SECRET"

// check returns an error for users if the settings do not fit together.
func (c oidcConfig) check(public gate.PublicURL) error {
	issuer, err := url.Parse(c.issuer)
	switch {
	case c.issuer == "" && c.clientID == "" && c.secretFile == "":
		return nil // a secret alone may be in the environment for a later use
	case c.issuer == "" || c.clientID == "":
		return errors.New("--oidc-issuer and --oidc-client-id belong together: the provider, and the client that it knows Memoir as")
	case err != nil, issuer.Scheme != "https" && issuer.Scheme != "http", issuer.Host == "", issuer.User != nil, issuer.RawQuery != "", issuer.Fragment != "":
		return errors.New("--oidc-issuer must be the issuer as the provider names it, such as https://id.example.org/realms/team")
	case issuer.Scheme == "http" && !isLoopback(issuer.Hostname()):
		return errors.New("--oidc-issuer must be https, because others on the network could sign in as anyone; http is for a provider on this machine")
	case c.claim == "":
		return errors.New("--oidc-claim must name a claim, such as " + oidc.DefaultClaim)
	case c.secret != "" && c.secretFile != "":
		return fmt.Errorf("--oidc-client-secret-file and %s are both set: remove one", oidcSecret)
	case public.Host == "":
		return errors.New("--oidc-issuer needs --public-url, because the provider sends people back there: set it to Memoir's address, such as https://memoir.example.org")
	}
	return nil
}

// provider returns the provider of the settings, or nil without one. It returns an error for users
// if the file with the secret cannot be read or is empty. It does not ask the provider.
func (c oidcConfig) provider(public gate.PublicURL) (*oidc.Provider, error) {
	if c.issuer == "" {
		return nil, nil
	}
	secret := c.secret
	if c.secretFile != "" {
		text, err := os.ReadFile(c.secretFile)
		if err != nil {
			return nil, fmt.Errorf("--oidc-client-secret-file cannot be read: %w", err)
		}
		if secret = strings.TrimSpace(string(text)); secret == "" {
			return nil, fmt.Errorf("--oidc-client-secret-file %s is empty: write the client's secret into it, or leave the flag out for a client without one", c.secretFile)
		}
	}
	return oidc.New(oidc.Options{
		Issuer: c.issuer, ClientID: c.clientID, ClientSecret: secret, Claim: c.claim, RedirectURL: public.Origin() + gate.OIDCCallbackPath,
	}), nil
}
