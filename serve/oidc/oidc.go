// Package oidc authenticates the callers of a server by the tokens of an OpenID Connect issuer.
//
//	authenticate, err := oidc.New(ctx, oidc.Options{Issuer: "https://login.example.com", Audience: "assay"})
//	if err != nil {
//		return err
//	}
//	s, err := serve.New(ctx, serve.Options{Authenticate: authenticate, Issuer: "https://login.example.com", …})
//
// A token is a JWT, of access or of identity, that the issuer signed for the audience. The package
// signs nobody in, and asks the issuer about no single token: a token is valid until it expires, also
// after it was revoked.
package oidc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// Options configure New.
type Options struct {
	// Issuer is the address that tokens name as "iss". It is https, or on this machine, and has its
	// settings below /.well-known/openid-configuration.
	Issuer string
	// Audience is what tokens must name as "aud".
	Audience string
	// TenantClaim is the claim with the caller's tenant. Dots lead into objects. Default: "sub", so
	// everybody is a tenant of their own. A text that cannot be the name of a tenant, or is that of a
	// server without tenants, becomes "id-" with its hash.
	TenantClaim string
	// Tenants are the tenants that may call. Default: all.
	Tenants []string
	// ScopeClaim is the claim with the caller's scopes: a list, or a text with spaces. "assay:write"
	// means "write". Default: every valid token has "read" and "write".
	ScopeClaim string
	// Client asks the issuer. Default: one that waits 10 seconds.
	Client *http.Client
	Now    func() time.Time // default: time.Now
}

type issuer struct {
	Options
	verifier *oidc.IDTokenVerifier
}

// New asks the issuer for its settings, and returns a value for serve.Options.Authenticate. The
// issuer's keys are fetched when a token needs one that is not known yet, at most every 10 seconds.
func New(ctx context.Context, o Options) (func(*http.Request) (serve.Caller, error), error) {
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "":
		return nil, fmt.Errorf("the issuer is %q: it must be an address, such as https://login.example.com", o.Issuer)
	case u.Scheme != "https" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, fmt.Errorf("the issuer is %q: it must be https", o.Issuer)
	case o.Audience == "":
		return nil, errors.New("the audience is missing: without it tokens for other services would be accepted")
	}
	o.TenantClaim = cmp.Or(o.TenantClaim, "sub")
	client := http.Client{Timeout: 10 * time.Second}
	if o.Client != nil {
		client = *o.Client
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx = oidc.ClientContext(ctx, &client)
	provider, err := oidc.NewProvider(ctx, o.Issuer)
	if err != nil {
		return nil, fmt.Errorf("asking the issuer %s for its settings: %w", o.Issuer, err)
	}
	var settings struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&settings); err != nil || settings.Keys == "" {
		return nil, fmt.Errorf("the settings of the issuer %s name no keys (jwks_uri)", o.Issuer)
	}
	fetching := client
	fetching.Transport = &fetcher{base: client.Transport, now: o.Now}
	keys := keySet{oidc.NewRemoteKeySet(oidc.ClientContext(ctx, &fetching), settings.Keys)}
	i := &issuer{o, oidc.NewVerifier(o.Issuer, keys, &oidc.Config{
		ClientID: o.Audience, Now: o.Now,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA},
	})}
	return i.authenticate, nil
}

func (i *issuer) authenticate(r *http.Request) (serve.Caller, error) {
	text := serve.TokenOf(r)
	if text == "" {
		return serve.Caller{}, &serve.DeniedError{Reason: "this server needs a token of " + i.Issuer + ": Authorization: Bearer TOKEN"}
	}
	var fault error
	token, err := i.verifier.Verify(context.WithValue(r.Context(), faultKey{}, &fault), text)
	expired := (*oidc.TokenExpiredError)(nil)
	switch {
	case fault != nil:
		return serve.Caller{}, fmt.Errorf("fetching the keys of the issuer: %w", fault)
	case errors.As(err, &expired):
		return serve.Caller{}, &serve.DeniedError{Reason: "the token expired at " + expired.Expiry.UTC().Format(time.RFC3339) + ": get a new one"}
	case err != nil:
		return serve.Caller{}, &serve.DeniedError{Reason: "the token is not accepted: " + strings.TrimPrefix(err.Error(), "oidc: ")}
	}
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil {
		return serve.Caller{}, &serve.DeniedError{Reason: "the token is not accepted: its claims are no object"}
	}
	c := serve.Caller{Subject: token.Subject, Scopes: []string{runs.ScopeRead, runs.ScopeWrite}}
	var name string
	if json.Unmarshal(claim(claims, i.TenantClaim), &name) != nil || name == "" {
		return serve.Caller{}, &serve.DeniedError{Forbidden: true, Reason: fmt.Sprintf("the token has no text in the claim %q, which names the tenant", i.TenantClaim)}
	}
	if len(i.Tenants) > 0 {
		if c.Tenant = name; !slices.Contains(i.Tenants, name) {
			return serve.Caller{}, &serve.DeniedError{Forbidden: true, Reason: fmt.Sprintf("%q is not a tenant of this server", name)}
		}
	} else {
		c.Tenant = tenantOf(name)
	}
	if i.ScopeClaim != "" {
		c.Scopes = scopesOf(claim(claims, i.ScopeClaim))
	}
	return c, nil
}

// claim returns a claim by its name, or by a path into objects; nil if there is none.
func claim(claims map[string]json.RawMessage, name string) json.RawMessage {
	if v, ok := claims[name]; ok {
		return v
	}
	outer, rest, ok := strings.Cut(name, ".")
	var inner map[string]json.RawMessage
	if !ok || json.Unmarshal(claims[outer], &inner) != nil {
		return nil
	}
	return claim(inner, rest)
}

// hashed begins the names of tenants that are made from other texts.
const hashed = "id-"

// tenantOf returns the name of the tenant for a claim.
func tenantOf(text string) string {
	if serve.ValidTenant(text) && text != runs.DefaultTenant && !strings.HasPrefix(text, hashed) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hashed + hex.EncodeToString(sum[:16])
}

// scopesOf returns the scopes of a claim.
func scopesOf(data json.RawMessage) []string {
	var list []string
	var text string
	if json.Unmarshal(data, &text) == nil {
		list = strings.Fields(text)
	} else if json.Unmarshal(data, &list) != nil {
		return nil
	}
	for i := range list {
		list[i] = strings.TrimPrefix(list[i], "assay:")
	}
	return list
}

type faultKey struct{}

// A keySet is the issuer's keys. That they cannot be fetched is put into the fault of the context: the
// library's error does not tell it from a wrong signature.
type keySet struct{ oidc.KeySet }

// VerifySignature implements oidc.KeySet.
func (k keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	if failed := (*fetchError)(nil); errors.As(err, &failed) {
		*ctx.Value(faultKey{}).(*error) = failed
	}
	return payload, err
}

// A fetchError is why keys could not be fetched.
type fetchError struct{ error }

// A fetcher fetches keys, and repeats its answer for a while: every token with an unknown key asks
// for them, and anybody can send one.
type fetcher struct {
	base http.RoundTripper
	now  func() time.Time

	mu    sync.Mutex
	until time.Time
	kind  string // the content type
	keys  []byte
	err   error
}

// How long an answer of the issuer, or its failure, is repeated; and the bytes that it may have.
const (
	repeatKeys  = 10 * time.Second
	repeatError = time.Second
	maxKeys     = 1 << 20
)

// RoundTrip implements http.RoundTripper.
func (f *fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.now().Before(f.until) {
		f.err = f.fetch(r)
		f.until = f.now().Add(repeatKeys)
		if f.err != nil {
			f.until = f.now().Add(repeatError)
		}
	}
	if f.err != nil {
		return nil, &fetchError{f.err}
	}
	return &http.Response{Status: "200 OK", StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {f.kind}}, Body: io.NopCloser(bytes.NewReader(f.keys)), Request: r}, nil
}

func (f *fetcher) fetch(r *http.Request) error {
	answer, err := f.base.RoundTrip(r)
	if err != nil {
		return err
	}
	f.kind = answer.Header.Get("Content-Type")
	f.keys, err = io.ReadAll(io.LimitReader(answer.Body, maxKeys))
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", r.URL.Redacted(), answer.Status)
	}
	return err
}
