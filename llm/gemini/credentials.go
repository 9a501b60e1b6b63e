package gemini

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"

	"example.com/assay/llm"
)

// Credentials provide the tokens for Vertex without a key. They are safe for concurrent use.
type Credentials struct {
	token        func(ctx context.Context) (string, error)
	quotaProject string
}

// StaticToken returns credentials with a fixed access token, such as one from "gcloud auth
// print-access-token". The caller renews it.
func StaticToken(token string) *Credentials {
	return &Credentials{token: func(context.Context) (string, error) { return token, nil }}
}

// CredentialsOptions configure DefaultCredentials. Nil and the zero value mean the defaults.
type CredentialsOptions struct {
	// Transport carries the requests for tokens. Default: the library's own.
	Transport http.RoundTripper
}

// DefaultCredentials returns Google's application default credentials: the file in
// GOOGLE_APPLICATION_CREDENTIALS, else gcloud's, else the machine's service account. A token is
// fetched when a call needs it, and reused while it is valid.
func DefaultCredentials(ctx context.Context, opts *CredentialsOptions) (*Credentials, error) {
	detect := &credentials.DetectOptions{Scopes: []string{"https://www.googleapis.com/auth/cloud-platform"}}
	if opts != nil && opts.Transport != nil {
		detect.Client = &http.Client{Transport: opts.Transport}
	}
	found, err := credentials.DetectDefault(detect)
	if err != nil { // the library's message may show part of the file
		return nil, errors.New("finding the application default credentials: there are none that can be read; run gcloud auth application-default login, or let GOOGLE_APPLICATION_CREDENTIALS name a file")
	}
	quota, err := found.QuotaProjectID(ctx)
	if err != nil {
		quota = "" // the call's project pays
	}
	return &Credentials{quotaProject: quota, token: func(ctx context.Context) (string, error) {
		token, err := found.Token(ctx)
		if err != nil {
			return "", tokenError(ctx, err)
		}
		return token.Value, nil
	}}, nil
}

// tokenError says why there is no token. It leaves out the server's message, which may quote the
// assertion that it received.
func tokenError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if refused, ok := errors.AsType[*auth.Error](err); ok && refused.Response != nil {
		return &llm.StatusError{Provider: Provider, Status: refused.Response.StatusCode, Message: "the request for an access token was refused"}
	}
	if lost, ok := errors.AsType[net.Error](err); ok {
		return &llm.ConnectionError{Provider: Provider, Err: fmt.Errorf("fetching an access token: %w", lost)}
	}
	return errors.New("getting an access token: the application default credentials give none; run gcloud auth application-default login")
}
