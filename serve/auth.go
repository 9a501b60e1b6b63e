package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// A Caller is who sends a request. Its tenant has 1 to 64 letters, digits, "-" and "_". A request
// that only reads needs the scope "read", any other "write", and /metrics "admin"; each of them
// includes those before it.
type Caller = runs.Caller

// A DeniedError is why Options.Authenticate refuses a request.
type DeniedError struct {
	// Forbidden says that the caller is known and may not call: status 403. Otherwise other
	// credentials may help: status 401.
	Forbidden bool
	Reason    string // for the caller
}

func (e *DeniedError) Error() string { return e.Reason }

// TokenOf returns the token of a request: "Authorization: Bearer …" or "X-Api-Key"; "" for none.
func TokenOf(r *http.Request) string {
	if scheme, bearer, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return bearer
	}
	return r.Header.Get("X-Api-Key")
}

// everything are the scopes of a caller with a token of the list, or of an open server.
var everything = []string{runs.ScopeRead, runs.ScopeWrite, runs.ScopeAdmin}

// authenticator returns what decides who sends a request.
func (o *Options) authenticator() func(*http.Request) (Caller, error) {
	otherwise := o.Authenticate
	switch {
	case o.Open:
		return func(*http.Request) (Caller, error) {
			return Caller{Tenant: runs.DefaultTenant, Scopes: everything}, nil
		}
	case otherwise == nil:
		otherwise = func(*http.Request) (Caller, error) {
			return Caller{}, &DeniedError{Reason: "this server needs its token: Authorization: Bearer TOKEN, or X-Api-Key: TOKEN"}
		}
	}
	return func(r *http.Request) (Caller, error) {
		if name := whose(o.Tenants, TokenOf(r)); name != "" {
			return Caller{Tenant: name, Scopes: everything}, nil
		}
		return otherwise(r)
	}
}

// whose returns the tenant with a token; "" for an unknown one. It takes the same time for every
// token.
func whose(tenants []Tenant, token string) (name string) {
	given := sha256.Sum256([]byte(token))
	for _, t := range tenants {
		own := sha256.Sum256([]byte(t.Token))
		if subtle.ConstantTimeCompare(given[:], own[:]) == 1 {
			name = t.Name
		}
	}
	return name
}

// identified returns who sends a request. Its error has a status.
func (s *Server) identified(r *http.Request) (Caller, error) {
	c, err := s.identify(r)
	if err == nil && !ValidTenant(c.Tenant) {
		err = fmt.Errorf("a caller has the tenant %q: a tenant has 1 to 64 letters, digits, \"-\" and \"_\"", c.Tenant)
	}
	denied := (*DeniedError)(nil)
	switch {
	case err == nil:
		return c, nil
	case errors.As(err, &denied) && denied.Forbidden:
		err = refusal.New(http.StatusForbidden, "%s", denied.Reason)
	case denied != nil:
		err = refusal.New(http.StatusUnauthorized, "%s", denied.Reason)
	default:
		s.runs.Warn(fmt.Errorf("authenticating a caller: %w", err))
		err = refusal.New(http.StatusServiceUnavailable, "the server cannot find out who you are: try again later")
	}
	return Caller{}, err
}

// reading has the requests besides GET that change nothing.
var reading = func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, path := range []string{
		"/assistants/search", "/assistants/count", "/assistants/{assistant}/versions", "/threads/search", "/threads/count", "/threads/{thread}/state/checkpoint",
		"/threads/{thread}/history", "/threads/{thread}/stream/events", "/store/items/search", "/store/namespaces", "/runs/crons/search", "/runs/crons/count",
	} {
		mux.Handle("POST "+path, http.NotFoundHandler())
	}
	return mux
}()

// scopeOf returns the scope that a request needs. A reader that cancels its run when it leaves
// changes something.
func scopeOf(r *http.Request) string {
	_, found := reading.Handler(r)
	switch strings.ToLower(r.URL.Query().Get("cancel_on_disconnect")) {
	case "", "0", "false", "no":
	default:
		return runs.ScopeWrite
	}
	switch {
	case r.URL.Path == "/metrics":
		return runs.ScopeAdmin
	case r.Method == http.MethodGet, r.Method == http.MethodHead, found != "":
		return runs.ScopeRead
	}
	return runs.ScopeWrite
}

type callerKey struct{}

// callerOf returns who sends an admitted request.
func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// authorized serves only requests whose caller is known and has the scope.
func (s *Server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.identified(r)
		scope := scopeOf(r)
		switch {
		case err != nil && refusal.Status(err) == http.StatusUnauthorized && s.Page != nil && byPerson(r):
			toPage(w, r)
		case err != nil:
			status := refusal.Status(err)
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", challenge(r))
			}
			refuse(w, r, status, "%v", err)
		case !c.May(scope):
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer error=\"insufficient_scope\", scope=%q", scope))
			refuse(w, r, http.StatusForbidden, "this needs the scope %q, and you have %q", scope, c.Scopes)
		default:
			s.admitted(c, next).ServeHTTP(w, r)
		}
	})
}

// entrance leads a person to the page, which leads to the sign-in page without a session.
func (s *Server) entrance(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Page != nil && r.URL.Path == "/" && byPerson(r) {
			toPage(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// byPerson reports whether a request is of a person who opens an address in a browser: it accepts
// HTML, not JSON, and has no token.
func byPerson(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && TokenOf(r) == "" && strings.Contains(accept, "text/html") && !strings.Contains(accept, "json")
}

func toPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	http.Redirect(w, r, "/ui/", http.StatusSeeOther)
}

// admitted serves a caller's requests. Bodies are read only for callers.
func (s *Server) admitted(c Caller, next http.Handler) http.Handler {
	plain, bounded := next, s.bounded(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen, ok := w.(*watcher); ok {
			seen.caller = c
		}
		next := bounded
		if page.Streams(r) {
			next = plain
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}
