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

// CheckRequest refuses a request that says nothing, speaks in an unknown role,
// has a schema that is not JSON, or tools that no provider takes.
func CheckRequest(req llm.Request) error {
	if len(req.Schema) > 0 && !json.Valid(req.Schema) {
		return errors.New("the schema of the answer is not JSON")
	}
	if err := checkTools(req.Tools); err != nil {
		return err
	}
	said := false
	for i, m := range req.Messages {
		switch m.Role {
		case llm.System, llm.User, llm.Assistant:
		case llm.ToolRole:
			if len(m.Results) == 0 {
				return fmt.Errorf("message %d of the tools has no results", i+1)
			}
		default:
			return fmt.Errorf("message %d has the unknown role %q", i+1, llm.Cut(string(m.Role), 50))
		}
		for _, c := range m.Calls {
			if len(c.Arguments) > 0 && !json.Valid(c.Arguments) {
				return fmt.Errorf("message %d calls a tool with arguments that are not JSON", i+1)
			}
		}
		said = said || m.Role == llm.User && strings.TrimSpace(m.Text) != ""
	}
	if !said {
		return errors.New("the request has no message of the user")
	}
	return nil
}

// checkTools refuses tools without a proper name of their own or whose
// parameters are no JSON object.
func checkTools(tools []llm.Tool) error {
	seen := map[string]bool{}
	for i, tool := range tools {
		if !toolName(tool.Name) || seen[tool.Name] {
			return fmt.Errorf("tool %d is named %q: a name is up to 64 letters, digits, _ and -, each once", i+1, llm.Cut(tool.Name, 100))
		}
		seen[tool.Name] = true
		var parameters map[string]json.RawMessage
		if err := json.Unmarshal(tool.Parameters, &parameters); err != nil || parameters == nil {
			return fmt.Errorf("the parameters of tool %q are no JSON Schema of an object", tool.Name)
		}
	}
	return nil
}

func toolName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
