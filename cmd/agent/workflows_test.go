package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The workflows call programs of this repository and actions with fixed versions, and have only
// the rights that they need.
func TestWorkflows(t *testing.T) {
	pinned := regexp.MustCompile(`^actions/[a-z-]+@v\d+\.\d+\.\d+$`)
	ours := regexp.MustCompile(`(?m)^(\.ci/(run|nightly)$|go run \./release (-version "\$GITHUB_REF_NAME" )?-(out|check) |sha256sum --check|gh release create )`)
	writes := map[string]string{"release.yml publish": "write"}
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*.yml"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Permissions map[string]string
				Timeout     int `yaml:"timeout-minutes"`
				Steps       []struct{ Uses, Run string }
			}
		}
		if err := yaml.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		if len(file.Permissions) != 1 || file.Permissions["contents"] != "read" || len(file.Jobs) == 0 {
			t.Errorf("%s: permissions %v", path, file.Permissions)
		}
		for name, job := range file.Jobs {
			name = filepath.Base(path) + " " + name
			if len(job.Permissions) > 1 || job.Permissions["contents"] != writes[name] || job.Timeout == 0 {
				t.Errorf("%s: permissions %v, timeout %d", name, job.Permissions, job.Timeout)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s uses %q: name a version", name, step.Uses)
				}
				if step.Uses == "" && !ours.MatchString(step.Run) {
					t.Errorf("%s runs %q, which the repository does not have", name, step.Run)
				}
				if program, _, _ := strings.Cut(step.Run, " "); strings.HasPrefix(program, ".") {
					if _, err := os.Stat(filepath.Join("..", "..", program)); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
