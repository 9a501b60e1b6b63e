package serve

import (
	"bytes"
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
)

// refuse answers with a status and a message, in the error format of the protocol that was called.
func refuse(w http.ResponseWriter, r *http.Request, status int, format string, args ...any) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
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

// challenge returns the WWW-Authenticate header that clients of a path expect.
func challenge(r *http.Request) string {
	if r.URL.Path == mcp.Path {
		return mcp.Challenge(r)
	}
	return "Bearer"
}

// A watcher records the answer's status and size, and limits the time of each write.
type watcher struct {
	http.ResponseWriter
	out    *http.ResponseController
	take   time.Duration
	status int
	bytes  int64
	caller Caller // empty until it is admitted
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
			a := Access{ID: id, Tenant: seen.caller.Tenant, Subject: seen.caller.Subject, Method: r.Method, Path: cutTo(r.URL.Path, 500), Status: seen.status, Bytes: seen.bytes, Duration: time.Since(began), Remote: r.RemoteAddr}
			s.metrics.request(a)
			s.Access(a)
		}()
		next.ServeHTTP(seen, r)
	})
}
