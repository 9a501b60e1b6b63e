package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"example.com/assay/llm/gemini"
)

// A missingKeyError says which variable must hold a key.
type missingKeyError struct{ variable, url string }

func (e *missingKeyError) Error() string {
	return fmt.Sprintf("%s is not set: make a key at %s and export it", e.variable, e.url)
}

// key returns the key of a provider: that of its variable, else that of the
// file that the configuration names, else "".
func (c *connector) key(p provider) (string, error) {
	if key := c.env.get(p.keyVariable); key != "" {
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
		if key := c.env.get(p.keyVariable); key != "" {
			out = append(out, key)
		}
		if file := c.keyFiles[p.keyVariable]; file != "" {
			if key, err := readKey(file); err == nil { // of another one nothing was sent
				out = append(out, key)
			}
		}
	}
	for _, variable := range []string{envRerankKey, envJudgeKey, envDetectorKey} {
		if key := c.env.get(variable); key != "" {
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
	local := p.name == providerOllama && c.env.get(p.urlVariable) == ""
	return !local && (c.env.get(p.keyVariable) != "" || c.keyFiles[p.keyVariable] != "")
}

const maxKey = 64 << 10 // bytes; a key of a service account is a few thousand

// readKey reads a file that holds a key and nothing else, and which its owner
// alone may read. Its errors do not show what was given as a path before it
// proves to be one: it may be the key itself.
func readKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return "", fmt.Errorf("finding the file that it names: %w (it must be the path of a file that holds the key, not the key)", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file: write the key into one", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	}
	if info.Size() > maxKey {
		return "", fmt.Errorf("%s holds %d bytes, which is no key", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a key: %w", err)
	}
	key := strings.TrimSpace(string(data))
	if key == "" {
		return "", fmt.Errorf("%s is empty: write the key into it", path)
	}
	return key, nil
}
