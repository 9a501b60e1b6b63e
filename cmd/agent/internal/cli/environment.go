package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Variables that are neither a setting's nor a provider's, and the variables of settings
// whose names do not follow from the key.
const (
	EnvHome   = "ASSAY_HOME"
	EnvConfig = "ASSAY_CONFIG"
)

// An Environment holds a process's variables. Of equal names the last one counts.
type Environment map[string]string

// NewEnvironment reads variables of the form NAME=VALUE.
func NewEnvironment(environ []string) Environment {
	env := Environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env
}

// Get returns the value of a variable, empty when it is not set.
func (e Environment) Get(name string) string { return e[name] }

// Unknown lists variables with the program's prefix that it does not read.
func (e Environment) Unknown(known []string) []string {
	var out []string
	for name := range e {
		if strings.HasPrefix(name, "ASSAY_") && !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Home is the directory that holds everything: ASSAY_HOME, else "assay" in
// the user's data directory by the XDG rules, which ignore a relative
// XDG_DATA_HOME.
func (e Environment) Home() (string, error) {
	if home := e.Get(EnvHome); home != "" {
		if !filepath.IsAbs(home) {
			return "", Usagef("%s is %q: it must be an absolute path, such as /home/you/assay", EnvHome, home)
		}
		return filepath.Clean(home), nil
	}
	if data := e.Get("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "assay"), nil
	}
	if user := e.Get("HOME"); filepath.IsAbs(user) {
		return filepath.Join(user, ".local", "share", "assay"), nil
	}
	return "", UsageError{fmt.Errorf("finding a directory for corpora and memory: HOME is not an absolute path; set %s to one", EnvHome)}
}

// Config is the default place of the configuration: in ASSAY_HOME if that is set, else
// "assay" in the user's configuration directory by the XDG rules.
func (e Environment) Config() (string, error) {
	home, err := e.Home()
	if err != nil {
		return "", err
	}
	if e.Get(EnvHome) == "" {
		if dir := e.Get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "assay", ConfigName), nil
		}
		if user := e.Get("HOME"); filepath.IsAbs(user) {
			return filepath.Join(user, ".config", "assay", ConfigName), nil
		}
	}
	return filepath.Join(home, ConfigName), nil
}

const ConfigName = "config.yaml"
