package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Variables that are neither a setting's nor a provider's, and the variables of settings
// whose names do not follow from the key.
const (
	EnvHome   = "ASSAY_HOME"
	EnvConfig = "ASSAY_CONFIG"
	// EnvViewer holds the command for files that are no text, such as
	// "evince --page-label={page} {file}". Without {file} the file is its last argument.
	EnvViewer = "ASSAY_VIEWER"
)

// An Environment holds a process's variables. Of equal names the last one counts. On Windows
// names are in capitals, since case means nothing there.
type Environment map[string]string

// NewEnvironment reads variables of the form NAME=VALUE.
func NewEnvironment(environ []string) Environment {
	env := Environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if runtime.GOOS == "windows" {
				name = strings.ToUpper(name)
			}
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

// Home is the directory that holds everything: ASSAY_HOME, else "assay" where the system keeps a
// user's data.
func (e Environment) Home() (string, error) {
	if home := e.Get(EnvHome); home != "" {
		if !filepath.IsAbs(home) {
			return "", Usagef("%s is %q: it must be an absolute path, such as /home/you/assay", EnvHome, home)
		}
		return filepath.Clean(home), nil
	}
	p := placesOf(runtime.GOOS)
	if dir := e.first(p.data); dir != "" {
		return filepath.Join(dir, "assay"), nil
	}
	return "", UsageError{fmt.Errorf("finding a directory for corpora and memory: %s is not an absolute path; set %s to one", p.data[len(p.data)-1].variable, EnvHome)}
}

// Config is the default place of the configuration: in ASSAY_HOME if that is set, else
// "assay" where the system keeps a user's settings.
func (e Environment) Config() (string, error) {
	home, err := e.Home()
	if err != nil {
		return "", err
	}
	if e.Get(EnvHome) == "" {
		if dir := e.first(placesOf(runtime.GOOS).settings); dir != "" {
			return filepath.Join(dir, "assay", ConfigName), nil
		}
	}
	return filepath.Join(home, ConfigName), nil
}

// A place is a folder of the user: what a variable names, and a path below that.
type place struct{ variable, below string }

// places are where a system keeps a user's data and settings; the first that is set counts. XDG's
// variables count on every system. On Windows only some shells set HOME, so with it a user would
// have two homes.
type places struct{ data, settings []place }

func placesOf(goos string) places {
	p := places{data: []place{{"XDG_DATA_HOME", ""}, {"HOME", ".local/share"}}, settings: []place{{"XDG_CONFIG_HOME", ""}, {"HOME", ".config"}}}
	if goos == "windows" {
		p.data[1], p.settings[1] = place{"LOCALAPPDATA", ""}, place{"APPDATA", ""}
	}
	return p
}

// first is the first place whose variable names an absolute path: XDG's rules ignore others.
func (e Environment) first(list []place) string {
	for _, p := range list {
		if dir := e.Get(p.variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(p.below))
		}
	}
	return ""
}

const ConfigName = "config.yaml"
