package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/internal/plainfile"
	"example.com/assay/serve/runs"
)

// A tenant is a caller by its token.
type tenant struct {
	Name    string   `yaml:"name"`
	Token   string   `yaml:"token"`
	Corpora []string `yaml:"corpora"` // that it may read; empty for all
}

// may reports whether the tenant may read a corpus.
func (t tenant) may(corpus string) bool {
	return len(t.Corpora) == 0 || slices.Contains(t.Corpora, corpus)
}

// owner is whose remembered answers the tenant's runs use: the one user of a server without
// tenants has those of the command.
func (t tenant) owner() string {
	if t.Name == runs.DefaultTenant {
		return ""
	}
	return t.Name
}

const tenantsExample = `- name: legal
  token: 32 or more random letters and digits
  corpora: [contracts, statutes]
- name: support
  token: another one`

// readTenants reads a file of tenants.
func readTenants(path string) ([]tenant, error) {
	data, err := readSecret("--tenants", path)
	if err != nil {
		return nil, err
	}
	var list []tenant
	d := yaml.NewDecoder(strings.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		return nil, cli.Usagef("%s is not a list of tenants; write one such as\n%s", path, tenantsExample) // the error may quote a token
	}
	if len(list) == 0 {
		return nil, cli.Usagef("%s names no tenant; write a list such as\n%s", path, tenantsExample)
	}
	for _, t := range list {
		if t.Name == runs.DefaultTenant {
			return nil, cli.Usagef("%s: the name %q is that of a server without tenants; choose another", path, t.Name)
		}
		for _, c := range t.Corpora {
			if err := config.CheckCorpus(path+": a corpus of tenant "+t.Name, c); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// readSecret reads a file that only its owner may read.
func readSecret(flag, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", cli.Usagef("%s: %w", flag, err)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return "", cli.Usagef("%s: others can read %s (mode %04o), which holds tokens: chmod 600 %s", flag, path, info.Mode().Perm(), path)
	}
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return "", cli.Usagef("%s: %w", flag, err)
	}
	return string(data), nil
}

// tokenFile is where the token of a server without tenants is, unless --token-file says
// otherwise.
func tokenFile(home string) string { return filepath.Join(home, "serve.token") }

// tokenAt reads a token, and makes it at the first start.
func tokenAt(path string) (token string, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		data, err := readSecret("--token-file", path)
		if err != nil {
			return "", err
		}
		return strings.TrimSpace(data), nil
	}
	if err != nil {
		return "", cli.Usagef("--token-file: %w", err)
	}
	token = rand.Text() + rand.Text()
	_, err = fmt.Fprintln(file, token)
	return token, errors.Join(err, file.Sync(), file.Close())
}
