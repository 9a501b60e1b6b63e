package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The command that is built, and its names.
const (
	command = "./cmd/agent"
	program = "agent"
	project = "assay"
	linked  = "example.com/assay/cmd/agent/internal/cli" // the package with the variables of the version
)

// environment sets the variables on which a build depends, so that the caller's do not matter.
func environment(system string) []string {
	goos, goarch, _ := strings.Cut(system, "/")
	return []string{
		"GOOS=" + goos, "GOARCH=" + goarch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
	}
}

// build builds the command for a system. Git's record in the binary is left out: go build
// does not find it in every kind of checkout, and the version is linked in.
func (s source) build(ctx context.Context, system, file string) error {
	set := func(name, value string) string { return fmt.Sprintf(" -X %s.%s=%s", linked, name, value) }
	ldflags := "-s -w" + set("releaseVersion", s.version) + set("releaseCommit", s.commit) +
		set("releaseTime", s.time.Format(time.RFC3339))
	_, err := output(ctx, s.root, environment(system), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", file, command)
	return err
}

// here is the system of this machine.
func here() string { return runtime.GOOS + "/" + runtime.GOARCH }

// executable is the name of the command's file on a system.
func executable(system string) string {
	if strings.HasPrefix(system, "windows/") {
		return program + ".exe"
	}
	return program
}

// completions returns the completions of each shell, as the command prints them.
func completions(ctx context.Context, binary, dir string) ([]file, error) {
	var out []file
	for shell, name := range map[string]string{"bash": "agent.bash", "zsh": "_agent", "fish": "agent.fish", "powershell": "agent.ps1"} {
		// This home has no configuration.
		text, err := output(ctx, dir, []string{"ASSAY_HOME=" + filepath.Join(dir, "none")}, binary, "completion", shell)
		if err != nil {
			return nil, err
		}
		out = append(out, file{name: "completions/" + name, data: []byte(text + "\n"), mode: 0o644})
	}
	return out, nil
}

// manual returns the pages of man. A test of the command writes them, since the command itself does
// not link their writer.
func (s source) manual(ctx context.Context, dir string) ([]file, error) {
	_, err := output(ctx, s.root, environment(here()), "go", "test", "-trimpath", "-count=1", "-vet=off", "-run", "^TestManual$", command,
		"-args", "-man", dir, "-date", s.time.Format(time.DateOnly), "-named", s.plain())
	if err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []file
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, file{name: "man/" + p.Name(), data: data, mode: 0o644})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the test TestManual of %s wrote no page", command)
	}
	return out, nil
}
