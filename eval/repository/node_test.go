package repository

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checksOfSkills are the tests that run over all skills, and that of the toy node.
var checksOfSkills = []string{"TestRemark", "TestSkills", "TestOverlay", "TestBadVars", "TestSkillsAreStrict", "TestRolesAreOfKnownSkillsAndDoNotOverlap"}

// A node that asks a skill of its own is a file, its test, its skill and its wiring in
// pipeline.go. The toy node of testdata/node is laid over the files of the module: it
// runs in the compiled pipeline, and all checks of skills pass. Golden traces, drawings
// and counts of calls record what a pipeline does, and change with it.
func TestANodeTouchesFourPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	root := repositoryRoot(t)
	goFiles(t) // reads every file, so that the test cache knows when one changes
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const wired = "\tg.AddEdge(NodeFinish, graph.End)\n"
	pipeline := read("nodes/verify/pipeline.go")
	if strings.Count(pipeline, wired) != 1 {
		t.Fatalf("pipeline.go of verify no longer has the line %q, in whose place the toy node is wired", wired)
	}
	places := map[string]string{
		"nodes/verify/remark.go":      read("eval/repository/testdata/node/remark.go"),
		"nodes/verify/remark_test.go": read("eval/repository/testdata/node/remark_test.go"),
		"skills/remark.md":            read("eval/repository/testdata/node/remark.md"),
		"nodes/verify/pipeline.go": strings.Replace(pipeline, wired,
			"\tg.AddNode(\"remark\", remark(deps.Model, deps.Skills))\n\tg.AddEdge(NodeFinish, \"remark\")\n\tg.AddEdge(\"remark\", graph.End)\n", 1),
	}

	files := skillFiles(t)
	maps.Copy(files, places)
	if names := untested(files); len(names) > 0 {
		t.Errorf("skills %q are held to no types", names)
	}
	delete(files, "nodes/verify/remark_test.go")
	if names := untested(files); !slices.Equal(names, []string{"remark"}) {
		t.Errorf("without the node's test, skills %q are held to no types; want remark", names)
	}

	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not here")
	}
	cmd := exec.CommandContext(t.Context(), goTool, "test", "-v", "-overlay", overlay(t, root, places), "-run", "^("+strings.Join(checksOfSkills, "|")+")$",
		"./nodes/verify", "./skills", "./llm", "./llm/offline", "./llm/openai", "./cmd/agent/internal/config")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("with the toy node: %v\n%s", err, out)
	}
	for _, name := range checksOfSkills {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}

// overlay writes texts for the go command to read in place of files of the module.
func overlay(t *testing.T, root string, texts map[string]string) (file string) {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range texts {
		replace[filepath.Join(root, name)] = filepath.Join(dir, path.Base(name))
		write(t, filepath.Join(dir, path.Base(name)), []byte(text))
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "overlay.json")
	write(t, file, data)
	return file
}

// Each skill is held to its Go types by llmtest.TestSkill: in the tests of llm, or, when
// its name is declared beside its node, in that package.
func TestSkillsHaveTypes(t *testing.T) {
	files := skillFiles(t)
	if len(files) < 100 {
		t.Errorf("only %d files were read", len(files))
	}
	if names := untested(files); len(names) > 0 {
		t.Errorf("skills %q are held to no types: call llmtest.TestSkill in the test of their node", names)
	}
}

// untested are the skills that no test holds to their types, sorted.
func untested(files map[string]string) []string {
	var names []string
	for file := range files {
		if path.Dir(file) == "skills" && strings.HasSuffix(file, ".md") {
			names = append(names, strings.TrimSuffix(path.Base(file), ".md"))
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool {
		declared := regexp.MustCompile(`(\w+)\s*= "` + name + `"`)
		for file, text := range files {
			if strings.HasSuffix(file, "_test.go") || !strings.Contains(text, `"`+name+`"`) {
				continue
			}
			found := declared.FindStringSubmatch(text)
			if found == nil {
				continue
			}
			tests := path.Dir(file)
			if tests == "skills" {
				tests = "llm"
			}
			used := regexp.MustCompile(`\b` + found[1] + `\b`)
			for test, text := range files {
				if path.Dir(test) == tests && strings.HasSuffix(test, "_test.go") && strings.Contains(text, "llmtest.TestSkill(") && used.MatchString(text) {
					return true
				}
			}
		}
		return false
	})
}

// skillFiles are the skills, and the Go files that may declare their names or test them.
func skillFiles(t *testing.T) map[string]string {
	t.Helper()
	root := repositoryRoot(t)
	files := map[string]string{}
	for _, pattern := range []string{"skills/*.md", "skills/*.go", "llm/*_test.go", "nodes/*/*.go"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(rel)] = string(data)
		}
	}
	return files
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
