package weaviate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/assay/internal/again"
)

// A Server is one or several Weaviate nodes of a cluster. It is safe for concurrent use.
type Server struct {
	hosts            []string // scheme and authority
	key              string
	shards, replicas int
	http             *http.Client
	first            atomic.Int32 // the host that answered last
	failures         atomic.Int64 // tries that failed
}

// Form is how an address is written.
const Form = "weaviate://HOST:PORT[,HOST:PORT…][?shards=N&replicas=N&tls=1]"

// New reads an address. Of a new class shards is the number of parts, by default Weaviate's
// own choice, and replicas the number of copies of each, by default 1; tls=1 means HTTPS.
// The key is sent with every request; empty sends none. The servers are not asked.
func New(address, key string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "weaviate" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("reading the address of an index %q: it is written %s", redacted(address), Form)
	}
	s := &Server{key: key, replicas: 1}
	scheme := "http"
	for name, values := range u.Query() {
		n, err := strconv.Atoi(values[0])
		if err != nil || n < 1 || len(values) > 1 {
			return nil, fmt.Errorf("reading the address of an index: %s=%s must be one whole number from 1", name, strings.Join(values, ","))
		}
		switch name {
		case "shards":
			s.shards = n
		case "replicas":
			s.replicas = n
		case "tls":
			scheme = "https"
		default:
			return nil, fmt.Errorf("reading the address of an index: unknown setting %q; it is written %s", name, Form)
		}
	}
	for host := range strings.SplitSeq(u.Host, ",") {
		if _, _, err := net.SplitHostPort(host); err != nil {
			return nil, fmt.Errorf("reading the address of an index: %q is no HOST:PORT", host)
		}
		s.hosts = append(s.hosts, scheme+"://"+host)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	s.http = &http.Client{Transport: transport}
	return s, nil
}

// redacted cuts what stands before an @, where somebody may have written a password.
func redacted(address string) string {
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		return "…" + address[at:]
	}
	return address
}

// How long a call is tried, on all hosts in turn.
const (
	readFor   = 30 * time.Second // a node that died is noticed by the others within some seconds
	writeFor  = 5 * time.Minute  // it may be started again: a write waits for its copies
	onceFor   = 60 * time.Second // one try
	firstWait = 50 * time.Millisecond
	mostWait  = 2 * time.Second
)

// A refusal is an answer that says that the request is wrong.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the server answers %d: %s", r.status, r.message)
}

// isFinal reports whether another try does not change an error. A node that was just started
// does not know all classes yet.
func isFinal(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status != http.StatusNotFound
}

// call sends a request until a host answers it, for as long as given. read, unless nil, reads
// an answer, and its error is a reason to try again.
func (s *Server) call(ctx context.Context, wait time.Duration, method, path string, body any, read func(answer []byte) error) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	err = again.Do(ctx, again.Waits{First: firstWait, Most: mostWait, Total: wait}, func() (err error) {
		for range s.hosts {
			at := s.first.Load()
			var answer []byte
			answer, err = s.once(ctx, s.hosts[at], method, path, data)
			if err == nil && read != nil {
				err = read(answer)
			}
			if err == nil || isFinal(err) || ctx.Err() != nil {
				return err
			}
			s.failures.Add(1)
			s.first.CompareAndSwap(at, (at+1)%int32(len(s.hosts)))
		}
		return err
	}, func(err error) bool { return !isFinal(err) })
	if err == nil || isFinal(err) || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("no server of the index answered as it should for %s: %w", wait, err)
}

func (s *Server) once(ctx context.Context, host, method, path string, data []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, onceFor)
	defer cancel()
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, host+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	res, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	switch {
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusForbidden:
		return nil, &refusal{res.StatusCode, "it does not accept the key"}
	case res.StatusCode >= 500, res.StatusCode == http.StatusTooManyRequests:
		return nil, fmt.Errorf("%s answers %d: %s", host, res.StatusCode, message(answer))
	case res.StatusCode >= 300:
		return nil, &refusal{res.StatusCode, message(answer)}
	}
	return answer, nil
}

// message is what an error's body says, in short.
func message(body []byte) string {
	var e struct {
		Error []struct{ Message string }
	}
	if json.Unmarshal(body, &e) == nil && len(e.Error) > 0 {
		body = []byte(e.Error[0].Message)
	}
	return string(bytes.ToValidUTF8(body[:min(len(body), 300)], nil))
}

// Collections lists the classes whose names begin with prefix, sorted.
func (s *Server) Collections(ctx context.Context, prefix string) ([]string, error) {
	var schema struct{ Classes []struct{ Class string } }
	if err := s.call(ctx, readFor, http.MethodGet, "/v1/schema", nil, func(answer []byte) error { return json.Unmarshal(answer, &schema) }); err != nil {
		return nil, fmt.Errorf("listing the classes of the index: %w", err)
	}
	var out []string
	for _, c := range schema.Classes {
		if strings.HasPrefix(c.Class, prefix) {
			out = append(out, c.Class)
		}
	}
	slices.Sort(out)
	return out, nil
}
