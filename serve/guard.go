package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"example.com/assay/serve/mcp"
	"example.com/assay/serve/openai"
	"example.com/assay/serve/runs"
)

// refuse answers with a status and a message, in the error format of the protocol that was called.
func refuse(w http.ResponseWriter, r *http.Request, status int, format string, args ...any) {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		openai.Refuse(w, status, fmt.Sprintf(format, args...))
		return
	}
	data, _ := json.Marshal(map[string]string{"detail": fmt.Sprintf(format, args...)}) // texts can always be encoded
	say(w, status, string(data))
}

// guarded serves a request only if it names one of the server's hosts and does not come from a page
// of a foreign origin.
func (s *Server) guarded(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	for _, origin := range s.Origins {
		_ = cross.AddTrustedOrigin(origin) // an invalid origin matches no request
	}
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, http.StatusForbidden, "a page of another origin may not call this server: name its origin when you start it")
	}))
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knows(r.Host) {
			refuse(w, r, http.StatusForbidden, "this server is not %q: name the host when you start it", cutTo(r.Host, 100))
			return
		}
		origin := r.Header.Get("Origin")
		switch {
		case origin == "" || sameOrigin(origin, r):
		case slices.Contains(s.Origins, origin):
			allow(w.Header(), r, origin)
			if r.Method == http.MethodOptions {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		default:
			refuse(w, r, http.StatusForbidden, "pages of %s may not call this server: name the origin when you start it", cutTo(origin, 100))
			return
		}
		inner.ServeHTTP(w, r)
	})
}

func cutTo(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// knows reports whether a request's host is a name of the server. Another host may be a foreign
// name that points here (DNS rebinding).
func (s *Server) knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return strings.EqualFold(name, "localhost") || slices.ContainsFunc(s.Hosts, func(known string) bool { return strings.EqualFold(known, name) })
}

func sameOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// allow tells a browser that a page may call and read the answer.
func allow(h http.Header, r *http.Request, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked) // clients send further headers, which have no effect here
	}
	h.Set("Access-Control-Expose-Headers", "Content-Location, Location, X-Pagination-Total, X-Pagination-Next, X-Request-Id, Mcp-Session-Id")
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") != "" { // the page is public, the server in a private network
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}

// bounded reads a request's body before it is served, with limits on size and time.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if r.ContentLength > s.MaxBody { // refuse it without reading
			refuse(w, r, http.StatusRequestEntityTooLarge, "the request is longer than %d bytes", s.MaxBody)
			return
		}
		out := http.NewResponseController(w)
		_ = out.SetReadDeadline(time.Now().Add(s.BodyTime)) // a test's recorder has none
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
		if err == nil { // after an error the deadline stays, and the connection is closed
			_ = out.SetReadDeadline(time.Time{})
		}
		var long *http.MaxBytesError
		switch {
		case errors.As(err, &long):
			refuse(w, r, http.StatusRequestEntityTooLarge, "the request is longer than %d bytes", long.Limit)
			return
		case err != nil:
			w.Header().Set("Connection", "close")
			refuse(w, r, http.StatusRequestTimeout, "the request did not arrive within %s", s.BodyTime)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
		next.ServeHTTP(w, r)
	})
}

type tenantKey struct{}

// tenantOf returns the tenant of an authorized request.
func tenantOf(r *http.Request) string {
	name, _ := r.Context().Value(tenantKey{}).(string)
	return name
}

// authorized serves only requests with a known token.
func (s *Server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := s.tenant(r)
		if tenant == "" {
			w.Header().Set("WWW-Authenticate", challenge(r))
			refuse(w, r, http.StatusUnauthorized, "this server needs its token: Authorization: Bearer TOKEN, or X-Api-Key: TOKEN")
			return
		}
		s.admitted(tenant, next).ServeHTTP(w, r)
	})
}

// challenge returns the WWW-Authenticate header that clients of a path expect.
func challenge(r *http.Request) string {
	if r.URL.Path == mcp.Path {
		return mcp.Challenge(r)
	}
	return "Bearer"
}

// admitted serves a tenant's requests. Bodies are read only for tenants.
func (s *Server) admitted(tenant string, next http.Handler) http.Handler {
	next = s.bounded(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen, ok := w.(*watcher); ok {
			seen.tenant = tenant
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenantKey{}, tenant)))
	})
}

// tenant returns the tenant of a request's token, or the open server's tenant; "" if the token is
// unknown.
func (s *Server) tenant(r *http.Request) string {
	if s.Open {
		return runs.DefaultTenant
	}
	token := r.Header.Get("X-Api-Key")
	if scheme, bearer, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		token = bearer
	}
	return s.whose(token)
}

// whose returns the tenant with a token; "" for an unknown one. It takes the same time for every
// token.
func (s *Server) whose(token string) (name string) {
	given := sha256.Sum256([]byte(token))
	for _, t := range s.Tenants {
		own := sha256.Sum256([]byte(t.Token))
		if subtle.ConstantTimeCompare(given[:], own[:]) == 1 {
			name = t.Name
		}
	}
	return name
}

// A watcher records the answer's status and size, and limits the time of each write.
type watcher struct {
	http.ResponseWriter
	out    *http.ResponseController
	take   time.Duration
	status int
	bytes  int64
	tenant string
}

func (w *watcher) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.hurry()
	w.ResponseWriter.WriteHeader(status)
}

func (w *watcher) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.hurry()
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}

// hurry limits the time for the next write.
func (w *watcher) hurry() { _ = w.out.SetWriteDeadline(time.Now().Add(w.take)) } // a test's recorder has none

// Unwrap is for http.ResponseController.
func (w *watcher) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// watched gives each request an ID, and reports its answer. A panic is answered with status 500.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, began := s.runs.NewID(), time.Now()
		seen := &watcher{ResponseWriter: w, out: http.NewResponseController(w), take: s.TakeTime}
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		defer func() {
			if fault := recover(); fault != nil && fault != http.ErrAbortHandler {
				s.runs.Warn(fmt.Errorf("request %s: panic: %v\n%s", id, fault, debug.Stack()))
				if seen.status == 0 {
					refuse(seen, r, http.StatusInternalServerError, "a fault of the server; it is logged as request %s", id)
				}
			}
			a := Access{ID: id, Tenant: seen.tenant, Method: r.Method, Path: cutTo(r.URL.Path, 500), Status: seen.status, Bytes: seen.bytes, Duration: time.Since(began), Remote: r.RemoteAddr}
			s.metrics.request(a)
			s.Access(a)
		}()
		next.ServeHTTP(seen, r)
	})
}
