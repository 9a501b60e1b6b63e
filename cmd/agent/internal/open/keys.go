package open

import (
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm/gemini"
)

// key returns the key of a provider: from its variable, else from the file that the
// configuration names, else "".
func (c *Connector) key(p config.Provider) (string, error) {
	if key := c.env.Get(p.KeyVariable); key != "" {
		return key, nil
	}
	file := c.keyFiles[p.KeyVariable]
	if file == "" {
		return "", nil
	}
	return config.ReadKey(file)
}

// secrets lists the keys that are known, used or not.
func (c *Connector) secrets() []string {
	var out []string
	for _, p := range config.Providers {
		if key := c.env.Get(p.KeyVariable); key != "" {
			out = append(out, key)
		}
		if file := c.keyFiles[p.KeyVariable]; file != "" {
			if key, err := config.ReadKey(file); err == nil { // an unreadable key was never sent
				out = append(out, key)
			}
		}
	}
	for _, variable := range []string{config.EnvRerankKey, config.EnvJudgeKey, config.EnvDetectorKey, config.EnvIndexKey} {
		if key := c.env.Get(variable); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// SendsKey reports whether calls to a provider carry a key. Calls to Ollama on this
// machine do not.
func (c *Connector) SendsKey(p config.Provider) bool {
	if p.Name == gemini.Provider && c.vertex.Project != "" {
		return false
	}
	local := p.Name == config.ProviderOllama && c.env.Get(p.URLVariable) == ""
	return !local && (c.env.Get(p.KeyVariable) != "" || c.keyFiles[p.KeyVariable] != "")
}
