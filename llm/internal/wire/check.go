package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/assay/llm"
)

// CheckKey refuses a key that no header can carry. The error does not show the key. An empty key is
// valid.
func CheckKey(key string) error {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return errors.New("the key holds a space, a line break or a character outside ASCII: set it again, without them")
		}
	}
	return nil
}

// CheckBaseURL accepts only plain http and https addresses. It refuses credentials and queries,
// which would appear in errors.
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

// CheckRequest refuses a request without content, with an unknown role, with a schema that is not
// JSON, or with tools, settings or images that no provider takes.
func CheckRequest(req llm.Request) error {
	if len(req.Schema) > 0 && !json.Valid(req.Schema) {
		return errors.New("the schema of the answer is not JSON")
	}
	if err := errors.Join(checkTools(req.Tools), checkSampling(req.Sampling)); err != nil {
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
		if err := checkImages(m); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
		said = said || m.Role == llm.User && (strings.TrimSpace(m.Text) != "" || len(m.Images) > 0)
	}
	if !said {
		return errors.New("the request has no message of the user")
	}
	return nil
}

// checkSampling refuses invalid settings.
func checkSampling(s llm.Sampling) error {
	switch t := s.Temperature; {
	case t != nil && !(*t >= 0 && *t <= 2): // also NaN
		return fmt.Errorf("the temperature is %v: it must be 0 to 2", *t)
	case s.MaxTokens < 0:
		return fmt.Errorf("the answer's limit is %d tokens: it must be at least 1, or 0 for the provider's own", s.MaxTokens)
	case slices.Contains(s.Stop, ""):
		return errors.New("a text to stop at is empty")
	}
	return nil
}

// checkImages refuses images outside user messages, and images without exactly one of data and URL
// or without a known media type.
func checkImages(m llm.Message) error {
	for i, img := range m.Images {
		u, err := url.Parse(img.URL)
		switch {
		case m.Role != llm.User:
			return fmt.Errorf("it has images and is of the role %q: only the user's may have some", m.Role)
		case (len(img.Data) == 0) == (img.URL == ""):
			return fmt.Errorf("image %d must have either data or a URL", i+1)
		case (img.URL == "" || img.MediaType != "") && !strings.HasPrefix(img.MediaType, "image/"):
			return fmt.Errorf("image %d has the media type %q: it must be one such as image/png", i+1, llm.Cut(img.MediaType, 50))
		case img.URL != "" && (err != nil || u.Scheme == "" || u.Host == ""):
			return fmt.Errorf("the URL of image %d is not an address such as https://example.com/a.png", i+1)
		}
	}
	return nil
}

// checkTools refuses invalid or repeated names, and parameters that are not a JSON object.
func checkTools(tools []llm.Tool) error {
	seen := map[string]bool{}
	for i, tool := range tools {
		if !llm.ToolName(tool.Name) || seen[tool.Name] {
			return fmt.Errorf("tool %d is named %q: a name is up to 64 letters, digits, _ and -, each once", i+1, llm.Cut(tool.Name, 100))
		}
		seen[tool.Name] = true
		var parameters map[string]json.RawMessage
		if err := json.Unmarshal(tool.Parameters, &parameters); err != nil || parameters == nil {
			return fmt.Errorf("the parameters of tool %q are not a JSON Schema of an object", tool.Name)
		}
	}
	return nil
}
