package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"example.com/assay/llm"
)

// CheckKey refuses a key that no header can carry. The error does not show
// the key. The empty key is allowed.
func CheckKey(key string) error {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return errors.New("the key holds a space, a line break or a character outside ASCII: set it again, without them")
		}
	}
	return nil
}

// CheckBaseURL refuses what is no plain http or https address. Credentials
// and queries are refused, too: they would appear in errors.
func CheckBaseURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the base URL must be an address such as http://localhost:11434/v1")
	case u.User != nil:
		return errors.New("the base URL must not hold credentials: give the key on its own")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the base URL must not hold a query or a fragment")
	}
	return nil
}

// CheckRequest refuses a request that says nothing, speaks in an unknown role
// or has a schema that is not JSON.
func CheckRequest(req llm.Request) error {
	if len(req.Schema) > 0 && !json.Valid(req.Schema) {
		return errors.New("the schema of the answer is not JSON")
	}
	said := false
	for i, m := range req.Messages {
		switch m.Role {
		case llm.System, llm.User, llm.Assistant:
		default:
			return fmt.Errorf("message %d has the unknown role %q", i+1, llm.Cut(string(m.Role), 50))
		}
		said = said || m.Role == llm.User && strings.TrimSpace(m.Text) != ""
	}
	if !said {
		return errors.New("the request has no message of the user")
	}
	return nil
}
