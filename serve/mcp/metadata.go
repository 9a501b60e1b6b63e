package mcp

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Path is the path of a server's handler. MetadataPath is where clients read how to authenticate.
const (
	Path         = "/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource" + Path
)

// Metadata serves OAuth's protected-resource metadata (RFC 9728): a bearer token is required. It
// names the issuer of tokens; an empty one stands for the operator, who gives them out.
func Metadata(issuer string) http.Handler {
	var servers []string
	if issuer != "" {
		servers = []string{issuer}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource: base(r) + Path, BearerMethodsSupported: []string{"header"}, AuthorizationServers: servers,
		}).ServeHTTP(w, r)
	})
}

// Challenge returns the WWW-Authenticate header for a request without a token.
func Challenge(r *http.Request) string {
	return `Bearer resource_metadata="` + base(r) + MetadataPath + `"`
}

// base returns the server's address as the caller knows it. The host was checked.
func base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
