package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Variables that the program reads beside those of its settings and of the
// providers, and names of settings' variables that do not follow their keys.
const (
	envHome   = "ASSAY_HOME"
	envConfig = "ASSAY_CONFIG"
)

// An environment is a process's variables. The last of equal names counts.
type environment map[string]string

func newEnvironment(environ []string) environment {
	env := environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env
}

func (e environment) get(name string) string { return e[name] }

// unknown lists variables with the program's prefix that it does not read.
func (e environment) unknown(known []string) []string {
	var out []string
	for name := range e {
		if strings.HasPrefix(name, "ASSAY_") && !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// home is the directory that holds everything: ASSAY_HOME, else "assay" in
// the user's data directory by the XDG rules, which ignore a relative
// XDG_DATA_HOME.
func (e environment) home() (string, error) {
	if home := e.get(envHome); home != "" {
		if !filepath.IsAbs(home) {
			return "", usagef("%s is %q: it must be an absolute path, such as /home/you/assay", envHome, home)
		}
		return filepath.Clean(home), nil
	}
	if data := e.get("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "assay"), nil
	}
	if user := e.get("HOME"); filepath.IsAbs(user) {
		return filepath.Join(user, ".local", "share", "assay"), nil
	}
	return "", usageError{fmt.Errorf("finding a directory for corpora and memory: set %s to an absolute path; HOME is not one", envHome)}
}

// config is where the configuration is when nobody names one: beside the data
// when ASSAY_HOME says where that is, else "assay" in the user's configuration
// directory by the XDG rules.
func (e environment) config() (string, error) {
	home, err := e.home()
	if err != nil {
		return "", err
	}
	if e.get(envHome) == "" {
		if dir := e.get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "assay", configName), nil
		}
		if user := e.get("HOME"); filepath.IsAbs(user) {
			return filepath.Join(user, ".config", "assay", configName), nil
		}
	}
	return filepath.Join(home, configName), nil
}

const configName = "config.yaml"
