package mcp

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Path is where a server has the handler, and MetadataPath where clients read how to get in.
const (
	Path         = "/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource" + Path
)

// Metadata serves what OAuth calls protected-resource metadata (RFC 9728): that a bearer
// token is needed. It names no server that gives one out: whoever runs this one does.
func Metadata() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource: base(r) + Path, BearerMethodsSupported: []string{"header"},
		}).ServeHTTP(w, r)
	})
}

// Challenge is the header WWW-Authenticate of an answer to a request without a token.
func Challenge(r *http.Request) string {
	return `Bearer resource_metadata="` + base(r) + MetadataPath + `"`
}

// base is the server's address as the caller knows it. The host was checked.
func base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
