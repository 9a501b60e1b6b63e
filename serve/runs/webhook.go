package runs

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A Notice is a POST request that tells somebody about a run. It is kept in the same transaction as
// the change of the run, and sent until an answer with status 2xx arrives, for a day at most. Of
// several servers one sends it. If that server dies before it has written that an answer came, the
// notice is sent again, with the same header Webhook-Id.
//
// Network errors, timeouts and the statuses 408, 425, 429 and 5xx are tried again, after 5 seconds
// to one hour. Other statuses end it; a redirect is not followed.
type Notice struct {
	URL    string            `json:"url"` // see Space.CheckURL
	Header map[string]string `json:"header,omitempty"`
	Body   json.RawMessage   `json:"body"` // a JSON object
	// Stamp is a field that is added to the body: the time of sending. Default: none.
	Stamp string `json:"stamp,omitempty"`
}

// A Teller returns the requests that tell others about a run: when it begins to execute (Running),
// again after each restart of its server, and when it has ended. The state of its thread can be read
// meanwhile. Its error delays the end of the run, and it is called again.
type Teller func(ctx context.Context, s *Space, r Run) ([]Notice, error)

// A posting is a notice on its way.
type posting struct {
	Notice
	ID      string    `json:"id"`
	Run     string    `json:"run"`
	Created time.Time `json:"created"`
	Tries   int       `json:"tries,omitempty"`
}

// Limits of sending.
const (
	sendAtOnce = 8
	sendFor    = 10 * time.Second
	sendUntil  = 24 * time.Hour
	firstPause = 5 * time.Second
	longPause  = time.Hour
)

func (s *Space) postings() []string { return []string{root, tenantsRoot, s.tenant, "notices"} }

func (s *Space) noticeDue(id string) due { return due{Kind: dueNotice, Tenant: s.tenant, ID: id} }

// tell adds the notices about a run to a change.
func (s *Space) tell(ctx context.Context, c *change, r Run) error {
	now := s.Now()
	for _, teller := range s.Tell {
		notices, err := teller(ctx, s, r)
		if err != nil {
			return fmt.Errorf("telling of run %q: %w", r.ID, err)
		}
		for _, n := range notices {
			n.Body = storable(n.Body)
			p := posting{Notice: n, ID: s.NewID(), Run: r.ID, Created: now}
			c.put(s.postings(), p.ID, p, 0)
			c.plan(duesAt, s.noticeDue(p.ID), now)
		}
	}
	return nil
}

// tellNow keeps the notices about a run that begins to execute.
func (s *Space) tellNow(ctx context.Context, r Run) {
	var c change
	err := s.tell(ctx, &c, r)
	if err == nil && len(c.ops) > 0 {
		err = s.write(ctx, &c)
		s.nudge()
	}
	if err != nil {
		s.Warn(err)
	}
}

// send sends a notice once, and plans the next try if that is of use. The caller holds its lock.
func (s *Space) send(ctx context.Context, id string) error {
	p, err := read[posting](ctx, s.Manager, "notice", s.postings(), id)
	if err != nil && !errors.As(err, new(*NotFoundError)) {
		return err
	}
	var again bool
	var failed error
	if err == nil {
		again, failed = s.post(ctx, &p)
	}
	if again && ctx.Err() != nil {
		return nil // the server stops, and the next one tries again
	}
	var c change
	now := s.Now()
	if p.Tries++; again && now.Sub(p.Created) < sendUntil {
		pause := min(firstPause<<min(2*p.Tries-2, 20), longPause)
		c.put(s.postings(), id, p, 0)
		c.plan(duesAt, s.noticeDue(id), now.Add(pause))
		failed = nil
	} else {
		c.remove(s.postings(), id)
		c.plan(duesAt, s.noticeDue(id), time.Time{})
	}
	if failed != nil {
		failed = fmt.Errorf("run %q: giving up after %d tries: %w", p.Run, p.Tries, failed)
	}
	return errors.Join(failed, s.write(context.WithoutCancel(ctx), &c))
}

// post sends a notice once. Again reports whether another try may succeed.
func (s *Space) post(ctx context.Context, p *posting) (again bool, err error) {
	now := s.Now()
	body := p.Body
	if p.Stamp != "" {
		if body, err = Merge(p.Body, json.RawMessage(fmt.Sprintf(`{%q:%q}`, p.Stamp, now.UTC().Format("2006-01-02T15:04:05.000Z")))); err != nil {
			return false, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, sendFor)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range p.Header {
		r.Header.Set(name, value)
	}
	at := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set("Webhook-Id", p.ID)
	r.Header.Set("Webhook-Timestamp", at)
	if len(s.WebhookSecret) > 0 { // as standardwebhooks.com says
		sum := hmac.New(sha256.New, s.WebhookSecret)
		_, _ = fmt.Fprintf(sum, "%s.%s.%s", p.ID, at, body) // a hash takes everything
		r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	}
	answer, err := s.outside.Do(r)
	if err != nil {
		return !errors.As(err, new(*insideError)), err
	}
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // a short answer lets the connection be used again
	if err := answer.Body.Close(); err != nil {
		return true, err
	}
	switch code := answer.StatusCode; {
	case code/100 == 2:
		return false, nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return true, errors.New(answer.Status)
	default:
		return false, errors.New(answer.Status)
	}
}
