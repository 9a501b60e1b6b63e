package main

import "example.com/assay/llm/gemini"

// key returns the key of a provider: that of its variable, else that of the
// file that the configuration names, else "".
func (c *connector) key(p provider) (string, error) {
	if key := c.env.Get(p.keyVariable); key != "" {
		return key, nil
	}
	file := c.keyFiles[p.keyVariable]
	if file == "" {
		return "", nil
	}
	return readKey(file)
}

// secrets lists the keys that are known, used or not.
func (c *connector) secrets() []string {
	var out []string
	for _, p := range providers {
		if key := c.env.Get(p.keyVariable); key != "" {
			out = append(out, key)
		}
		if file := c.keyFiles[p.keyVariable]; file != "" {
			if key, err := readKey(file); err == nil { // of another one nothing was sent
				out = append(out, key)
			}
		}
	}
	for _, variable := range []string{envRerankKey, envJudgeKey, envDetectorKey} {
		if key := c.env.Get(variable); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// sendsKey reports whether the provider's server is sent a key. A server of
// Ollama on this machine is not.
func (c *connector) sendsKey(p provider) bool {
	if p.name == gemini.Provider && c.vertex.project != "" {
		return false
	}
	local := p.name == providerOllama && c.env.Get(p.urlVariable) == ""
	return !local && (c.env.Get(p.keyVariable) != "" || c.keyFiles[p.keyVariable] != "")
}
