package cli

import (
	"path/filepath"
	"testing"
)

// Each system keeps data and settings where its users look for them.
func TestPlaces(t *testing.T) {
	root := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	env := Environment{"HOME": at("user"), "LOCALAPPDATA": at("local"), "APPDATA": at("roaming")}
	moved := Environment{"XDG_DATA_HOME": at("data"), "XDG_CONFIG_HOME": at("etc"), "HOME": at("user"), "LOCALAPPDATA": at("local"), "APPDATA": at("roaming")}
	relative := Environment{"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "etc", "HOME": at("user"), "LOCALAPPDATA": at("local"), "APPDATA": at("roaming")}
	for _, test := range []struct {
		name, goos, data, settings string
		env                        Environment
	}{
		{"Linux", "linux", at("user", ".local", "share"), at("user", ".config"), env},
		{"macOS", "darwin", at("user", ".local", "share"), at("user", ".config"), env},
		{"Windows", "windows", at("local"), at("roaming"), env},
		{"XDG", "linux", at("data"), at("etc"), moved},
		{"XDG on Windows", "windows", at("data"), at("etc"), moved},
		{"a relative path", "linux", at("user", ".local", "share"), at("user", ".config"), relative},
		{"nothing", "linux", "", "", nil},
		{"nothing on Windows but HOME", "windows", "", "", Environment{"HOME": at("user")}},
	} {
		p := placesOf(test.goos)
		if data, settings := test.env.first(p.data), test.env.first(p.settings); data != test.data || settings != test.settings {
			t.Errorf("%s: %q and %q", test.name, data, settings)
		}
	}
}
