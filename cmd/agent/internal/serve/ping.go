package serve

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
)

// ping asks the server at an address whether it is ready. Containers have nothing else that
// could.
func (s *server) ping(ctx context.Context) error {
	if s.cert != "" {
		return cli.Usagef("--ping asks without TLS: leave --tls-cert out")
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/readyz", nil)
	if err != nil {
		return cli.Usagef("--addr is %q: %w", s.addr, err)
	}
	request.Host = "localhost"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking the server: %w", err)
	}
	if err := response.Body.Close(); err != nil {
		return fmt.Errorf("asking the server: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: %s", s.addr, response.Status)
	}
	fmt.Fprintf(s.Stdout, "ready: %s\n", s.addr)
	return nil
}
