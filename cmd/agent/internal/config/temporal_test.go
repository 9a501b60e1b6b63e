package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseTemporal(t *testing.T) {
	dir := t.TempDir()
	where := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(where("empty.pem"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, shown := range map[string]string{
		"": "", "host:7233": "host:7233/default", "host:7233/team": "host:7233/team", "[::1]:7233": "[::1]:7233/default",
		"tls://host:7233": "tls://host:7233/default", "tls://host:7233/team?server_name=other": "tls://host:7233/team",
	} {
		at, err := parseTemporal(text, where)
		if err != nil || at.Shown != shown || (at.TLS != nil) != strings.HasPrefix(text, "tls://") {
			t.Errorf("%q: %+v, error %v", text, at, err)
		}
	}
	if at, err := parseTemporal("tls://host:1/team?server_name=other", where); err != nil || at.TLS.ServerName != "other" || at.Address != "host:1" || at.Namespace != "team" {
		t.Errorf("%+v, error %v", at, err)
	}
	for text, want := range map[string]string{
		"host": "it must be HOST:PORT", "host:1/a/b": "it must be HOST:PORT", "https://host:1": "it must be HOST:PORT", "host:1?ca=x": "it must be HOST:PORT",
		"tls://host:1?cafile=x": `"cafile"`, "tls://host:1?ca=": "empty", "tls://host:1?ca=a&ca=b": "twice", "tls://host:1?ca=%zz": "question mark",
		"tls://host:1?ca=none.pem": where("none.pem"), "tls://host:1?ca=empty.pem": "no certificate", "tls://host:1?cert=a": "give both", "tls://host:1?cert=a&key=b": where("a"),
	} {
		if _, err := parseTemporal(text, where); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
