package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// zeroTemperature adds "temperature": 0 to a request that has none.
type zeroTemperature struct{ next http.RoundTripper }

func (z zeroTemperature) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		return z.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if closeErr := req.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	// The library writes an object that contains at least the model.
	if rest, ok := bytes.CutPrefix(body, []byte("{")); ok {
		body = append([]byte(`{"temperature":0,`), rest...)
	}
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return z.next.RoundTrip(out)
}
