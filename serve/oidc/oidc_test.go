package oidc_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/serve"
	"example.com/assay/serve/oidc"
)

// An issuer is a server of keys and settings, and signs tokens.
type issuer struct {
	*httptest.Server
	t       *testing.T
	keys    map[string]*rsa.PrivateKey // those that it publishes
	fetched atomic.Int64               // how often
	broken  atomic.Bool                // its keys cannot be fetched
	now     time.Time
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t, keys: map[string]*rsa.PrivateKey{"one": newKey(t)}, now: time.Now()}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"id_token_signing_alg_values_supported":["RS256","none","HS256"]}`, i.URL, i.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		i.fetched.Add(1)
		if i.broken.Load() {
			http.Error(w, "out of order", http.StatusBadGateway)
			return
		}
		keys := []any{}
		for id, k := range i.keys {
			keys = append(keys, map[string]string{"kty": "RSA", "kid": id, "use": "sig", "alg": "RS256", "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func newKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func b64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// claims are those of a good token, with changes; nil removes one.
func (i *issuer) claims(changes map[string]any) map[string]any {
	out := map[string]any{"iss": i.URL, "aud": "assay", "sub": "ann", "exp": i.now.Add(time.Hour).Unix(), "iat": i.now.Unix()}
	for name, v := range changes {
		if out[name] = v; v == nil {
			delete(out, name)
		}
	}
	return out
}

func unsigned(alg, kid string, claims map[string]any) string {
	head, _ := json.Marshal(map[string]string{"alg": alg, "kid": kid, "typ": "at+jwt"})
	body, _ := json.Marshal(claims)
	return b64(head) + "." + b64(body)
}

func (i *issuer) token(kid string, key *rsa.PrivateKey, claims map[string]any) string {
	text := unsigned("RS256", kid, claims)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		i.t.Fatal(err)
	}
	return text + "." + b64(sig)
}

func (i *issuer) good(changes map[string]any) string {
	return i.token("one", i.keys["one"], i.claims(changes))
}

func (i *issuer) open(change func(*oidc.Options)) func(token string) (serve.Caller, error) {
	i.t.Helper()
	o := oidc.Options{Issuer: i.URL, Audience: "assay", Now: func() time.Time { return i.now }}
	if change != nil {
		change(&o)
	}
	authenticate, err := oidc.New(i.t.Context(), o)
	if err != nil {
		i.t.Fatal(err)
	}
	return func(token string) (serve.Caller, error) {
		r := httptest.NewRequest("GET", "/threads", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return authenticate(r)
	}
}

// A caller is what the claims of a good token say.
func TestClaims(t *testing.T) {
	i := newIssuer(t)
	for name, c := range map[string]struct {
		change func(*oidc.Options)
		claims map[string]any
		want   serve.Caller
	}{
		"defaults":      {nil, nil, serve.Caller{Tenant: "ann", Subject: "ann", Scopes: []string{"read", "write"}}},
		"several ears":  {nil, map[string]any{"aud": []string{"other", "assay"}}, serve.Caller{Tenant: "ann", Subject: "ann", Scopes: []string{"read", "write"}}},
		"not a name":    {nil, map[string]any{"sub": "auth0|5f"}, serve.Caller{Tenant: "id-", Subject: "auth0|5f", Scopes: []string{"read", "write"}}},
		"default":       {nil, map[string]any{"sub": "default"}, serve.Caller{Tenant: "id-", Subject: "default", Scopes: []string{"read", "write"}}},
		"a hash itself": {nil, map[string]any{"sub": "id-37a8eec1ce19687d132fe29051dca629"}, serve.Caller{Tenant: "id-", Subject: "id-37a8eec1ce19687d132fe29051dca629", Scopes: []string{"read", "write"}}},
		"another claim": {func(o *oidc.Options) { o.TenantClaim, o.ScopeClaim = "org.name", "scope" }, map[string]any{"org": map[string]any{"name": "legal"}, "scope": "openid assay:read email"},
			serve.Caller{Tenant: "legal", Subject: "ann", Scopes: []string{"openid", "read", "email"}}},
		"a dotted one":    {func(o *oidc.Options) { o.TenantClaim, o.ScopeClaim = "https://example.com/org", "roles" }, map[string]any{"https://example.com/org": "legal", "roles": []string{"admin"}}, serve.Caller{Tenant: "legal", Subject: "ann", Scopes: []string{"admin"}}},
		"no scopes":       {func(o *oidc.Options) { o.ScopeClaim = "scope" }, nil, serve.Caller{Tenant: "ann", Subject: "ann"}},
		"a listed tenant": {func(o *oidc.Options) { o.Tenants = []string{"ann"} }, nil, serve.Caller{Tenant: "ann", Subject: "ann", Scopes: []string{"read", "write"}}},
	} {
		if c.want.Tenant == "id-" {
			sum := sha256.Sum256([]byte(c.want.Subject))
			c.want.Tenant += hex.EncodeToString(sum[:16])
		}
		got, err := i.open(c.change)(i.good(c.claims))
		if err != nil || !reflect.DeepEqual(got, c.want) || !serve.ValidTenant(got.Tenant) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

// A token that is not wholly right is refused, with the reason.
func TestRefused(t *testing.T) {
	i := newIssuer(t)
	public, err := x509.MarshalPKIXPublicKey(&i.keys["one"].PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	symmetric := unsigned("HS256", "one", i.claims(nil))
	mac := hmac.New(sha256.New, public)
	mac.Write([]byte(symmetric))
	good := i.good(nil)
	parts := strings.Split(good, ".")
	other := i.good(map[string]any{"sub": "bob"})
	for name, c := range map[string]struct {
		token, says string
		forbidden   bool
	}{
		"none":             {"", "needs a token of " + i.URL, false},
		"no JWT":           {"the-token-of-ann", "malformed", false},
		"too old":          {i.good(map[string]any{"exp": i.now.Add(-time.Second).Unix()}), "expired at", false},
		"no end":           {i.good(map[string]any{"exp": nil}), "expired at", false},
		"too early":        {i.good(map[string]any{"nbf": i.now.Add(time.Hour).Unix()}), "not before", false},
		"another issuer":   {i.good(map[string]any{"iss": "https://evil.example"}), "different provider", false},
		"another audience": {i.good(map[string]any{"aud": "mail"}), `expected audience "assay"`, false},
		"another key":      {i.token("one", newKey(t), i.claims(nil)), "signature", false},
		"an unknown key":   {i.token("two", newKey(t), i.claims(nil)), "signature", false},
		"other claims":     {parts[0] + "." + strings.Split(other, ".")[1] + "." + parts[2], "signature", false},
		"no signature":     {unsigned("none", "", i.claims(nil)) + ".", "malformed", false},
		"symmetric":        {symmetric + "." + b64(mac.Sum(nil)), "malformed", false},
		"no tenant":        {i.good(map[string]any{"sub": nil}), `"sub"`, true},
		"a number":         {i.good(map[string]any{"org": 7}), `"org"`, true},
		"not listed":       {i.good(map[string]any{"org": "eve"}), `"eve" is not a tenant`, true},
	} {
		open := i.open(func(o *oidc.Options) {
			if name == "a number" || name == "not listed" {
				o.TenantClaim, o.Tenants = "org", []string{"legal"}
			}
		})
		got, err := open(c.token)
		var denied *serve.DeniedError
		if !errors.As(err, &denied) || denied.Forbidden != c.forbidden || !strings.Contains(denied.Reason, c.says) || got.Tenant != "" {
			t.Errorf("%s: %+v, %v; want %q, forbidden %v", name, got, err, c.says, c.forbidden)
		}
		if err != nil && len(c.token) > 40 && strings.Contains(err.Error(), c.token) {
			t.Errorf("%s: the error shows the token", name)
		}
	}
}

// Keys are fetched once, anew when there is another one, and not for each token that nobody signed.
func TestKeys(t *testing.T) {
	i := newIssuer(t)
	open := i.open(nil)
	for range 20 {
		if _, err := open(i.good(nil)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 20 {
		if _, err := open(i.token(fmt.Sprint("none ", n), i.keys["one"], i.claims(nil))); err == nil {
			t.Error("an unknown key is accepted")
		}
	}
	if n := i.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
	i.now = i.now.Add(11 * time.Second)
	old := i.good(nil)
	i.keys = map[string]*rsa.PrivateKey{"new": newKey(t)}
	if _, err := open(i.token("new", i.keys["new"], i.claims(nil))); err != nil || i.fetched.Load() != 2 {
		t.Errorf("after a change of keys: %v, fetched %d times", err, i.fetched.Load())
	}
	if _, err := open(old); err == nil {
		t.Error("a token of the old key is accepted")
	}

	// While the issuer does not answer, known keys hold, and it is not the caller's fault.
	i.broken.Store(true)
	i.now = i.now.Add(11 * time.Second)
	if _, err := open(i.token("new", i.keys["new"], i.claims(nil))); err != nil {
		t.Errorf("a known key: %v", err)
	}
	_, err := open(i.token("third", newKey(t), i.claims(nil)))
	if err == nil || errors.As(err, new(*serve.DeniedError)) || !strings.Contains(err.Error(), "502") {
		t.Errorf("an unknown key: %v", err)
	}
}

// A server says at its start what is wrong with its issuer.
func TestConfiguration(t *testing.T) {
	i := newIssuer(t)
	nothing := httptest.NewServer(http.NotFoundHandler())
	defer nothing.Close()
	keyless := httptest.NewUnstartedServer(nil)
	keyless.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q}`, keyless.URL)
	})
	keyless.Start()
	defer keyless.Close()
	for says, o := range map[string]oidc.Options{
		"must be an address": {Issuer: "login.example.com", Audience: "assay"},
		"must be https":      {Issuer: "http://login.example.com", Audience: "assay"},
		"the audience":       {Issuer: i.URL},
		"404":                {Issuer: nothing.URL, Audience: "assay"},
		"name no keys":       {Issuer: keyless.URL, Audience: "assay"},
		"did not match":      {Issuer: i.URL + "/", Audience: "assay"},
		"asking the issuer":  {Issuer: "https://127.0.0.1:1", Audience: "assay"},
	} {
		if _, err := oidc.New(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v; want %q", o, err, says)
		}
	}
}
