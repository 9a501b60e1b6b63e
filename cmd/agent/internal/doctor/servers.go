package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/decide/injection"
	"example.com/assay/nodes/mcp"
)

// startTimeout bounds the doctor's start of an MCP server, which may have to be downloaded
// first.
const startTimeout = 60 * time.Second

// checkServers starts every MCP server of the settings and lists its tools. It calls none.
func checkServers(ctx context.Context, a *cli.App, s config.Settings) []finding {
	var out []finding
	for _, name := range s.ServerNames() {
		out = append(out, checkServer(ctx, a, s.Servers[name])...)
	}
	return out
}

func checkServer(ctx context.Context, a *cli.App, s *config.Server) []finding {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	key := config.KeyServers + "." + s.Name
	server, err := open.Server(a.Env, s)
	if err != nil {
		return []finding{{"mcp", statusFail, err.Error(), "do what the message says, or remove " + key + " from the configuration"}}
	}
	session, err := mcp.Open(ctx, server, &mcp.Options{Inspect: injection.Orders})
	if err != nil {
		return []finding{{"mcp", statusFail, err.Error(), "do what the message says, or remove " + key + " from the configuration"}}
	}
	var allowed, others, withheld []string
	for _, d := range session.Definitions() {
		what := d.Name
		if slices.Contains(s.Ask, d.Name) {
			what += " (asks first)"
		}
		allowed = append(allowed, what)
		if len(d.Withheld) > 0 {
			withheld = append(withheld, d.Name)
		}
	}
	for _, d := range session.Offered() {
		if !slices.Contains(server.Tools, d.Name) {
			others = append(others, mcp.Printable(d.Name))
		}
	}
	if err := session.Close(); err != nil {
		return []finding{{"mcp", statusFail, err.Error(), "remove " + key + " from the configuration"}}
	}
	f := finding{"mcp", statusOK, fmt.Sprintf("%s: may be called: %s; not allowed: %s", s.Name, orNone(allowed), orNone(others)), ""}
	if len(allowed) == 0 && len(others) > 0 {
		f.Status, f.Do = statusWarn, fmt.Sprintf("name the tools that may be called in %s.tools, such as [%s]", key, others[0])
	}
	out := []finding{f}
	if len(withheld) > 0 {
		out = append(out, finding{"mcp", statusWarn, fmt.Sprintf("%s: the words of %s read as orders to an assistant, and are kept from models", s.Name, strings.Join(withheld, ", ")), fmt.Sprintf("look at what the server says of them, and remove them from %s.tools unless you trust it", key)})
	}
	return out
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
