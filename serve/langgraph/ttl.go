package langgraph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// lifetime is how long a thread lives without use, in a request: a number of minutes, or an object.
type lifetime struct {
	Minutes  float64 `json:"ttl"`
	Strategy string  `json:"strategy"`
}

func (l *lifetime) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), "{") {
		type plain lifetime
		return json.Unmarshal(data, (*plain)(l))
	}
	return json.Unmarshal(data, &l.Minutes)
}

// ttl returns what was asked for; nil for nothing.
func (l *lifetime) ttl() (*runs.TTL, error) {
	if l == nil {
		return nil, nil
	}
	strategy, err := choice("ttl.strategy", l.Strategy, "delete", "keep_latest")
	if err == nil && !(l.Minutes > 0 && l.Minutes < 60*24*365*100) {
		err = refusal.New(http.StatusUnprocessableEntity, "ttl is %v: it must be a number of minutes above 0", l.Minutes)
	}
	return &runs.TTL{After: time.Duration(l.Minutes * float64(time.Minute)), KeepLatest: strategy == "keep_latest"}, err
}

// expiryJSON is the time to live of a thread, as clients read it.
type expiryJSON struct {
	Strategy string  `json:"strategy"`
	Minutes  float64 `json:"ttl_minutes"`
	Expires  string  `json:"expires_at"`
}

// expiryOf returns it if the request asks for it with include=ttl.
func (c *call) expiryOf(t runs.Thread) *expiryJSON {
	asked := strings.Split(strings.Join(c.r.URL.Query()["include"], ","), ",")
	if t.TTL == nil || !slices.Contains(asked, "ttl") {
		return nil
	}
	out := &expiryJSON{"delete", t.TTL.After.Minutes(), moment(t.Expires())}
	if t.TTL.KeepLatest {
		out.Strategy = "keep_latest"
	}
	return out
}
