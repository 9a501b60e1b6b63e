package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/skills"
)

// Without the comments the configuration that doctor --init writes gives every
// key, and defaults where there are some.
func TestCommentedConfigGivesTheDefaults(t *testing.T) {
	a, _, _ := testApp(t.TempDir())
	table, err := settingTable(a)
	if err != nil {
		t.Fatal(err)
	}
	text := commentedConfig(defaultSettings(false), table)
	if entries, err := parseConfig("c.yaml", []byte(text), table); err != nil || entries != nil {
		t.Errorf("with its comments it gives %v, %v", entries, err)
	}
	entries, err := parseConfig("c.yaml", []byte(regexp.MustCompile(`(?m)^#( *[a-z0-9_]+:)`).ReplaceAllString(text, "$1")), table)
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, s := range table {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.key == s.key || s.within != nil && strings.HasPrefix(e.key, s.key+".") }) {
			missing = append(missing, s.key)
		}
	}
	if missing != nil {
		t.Errorf("it does not hold %q:\n%s", missing, text)
	}
	before, after := defaultSettings(false), defaultSettings(false)
	var p parser
	p.apply(&after, table, slices.DeleteFunc(entries, func(e entry) bool { return strings.HasPrefix(e.key, "key_files.") })) // examples of files
	if p.err != nil {
		t.Fatal(p.err)
	}
	for _, s := range table {
		if want := s.show(&before); want != "" && s.show(&after) != want {
			t.Errorf("%s is %q; the default is %q", s.key, s.show(&after), want)
		}
	}
}

// The page on the configuration holds the file that doctor --init writes, but
// for the keys of single skills, so that a new skill does not change it.
func TestConfigurationPageIsTrue(t *testing.T) {
	a, _, _ := testApp(t.TempDir())
	table, err := settingTable(a)
	if err != nil {
		t.Fatal(err)
	}
	table = slices.DeleteFunc(table, func(s setting) bool {
		name, ok := strings.CutPrefix(s.key, modelsPrefix)
		return ok && s.key != keyModel && s.key != keyFallback && !slices.ContainsFunc(roles, func(r role) bool { return r.name == name })
	})
	page := filepath.Join("..", "..", "docs", "configuration.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n.*```\n")
	want := block.ReplaceAllLiteralString(string(data), "```yaml\n"+commentedConfig(defaultSettings(false), table)+"```\n")
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(data)); diff != "" || !block.Match(data) {
		t.Errorf("%s is not true any more; rewrite it with -update:\n%s", page, diff)
	}
}

// The configuration that the README shows has keys that there are.
func TestReadmeConfigurationIsRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindSubmatch(data)
	if block == nil {
		t.Fatal("the README shows no configuration")
	}
	a, _, _ := testApp(t.TempDir())
	table, err := settingTable(a)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := parseConfig("README.md", block[1], table); err != nil || len(entries) < 5 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// A skill's model is its own, else its role's, else the default.
func TestModelOfASkill(t *testing.T) {
	s := configured(t, "models:\n  judge: openai:strong\n  select_choice: openai:own\n  write: gemini:w\n")
	want := map[string]string{
		skills.DetectPromptInjection: "openai:strong", skills.AdaptiveReplan: "openai:strong",
		skills.SelectChoice: "openai:own", skills.SynthesizeAndCite: "gemini:w", skills.JudgeClaim: "openai:strong", skills.RegenerateResponse: "gemini:w",
		skills.JudgeEdge: "openai:strong", skills.DevilsAdvocate: "openai:strong", skills.DraftEdges: "gemini:w",
		skills.VerifyExtraction: "openai:strong",
		skills.VerifyGrounding:  "openai:strong", skills.ReviewAnswer: "openai:strong", skills.ComposeAnswer: "gemini:w",
	}
	if diff := cmp.Diff(want, s.modelsBySkill()); diff != "" {
		t.Error(diff)
	}
}

func TestRolesAreOfKnownSkillsAndDoNotOverlap(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, r := range roles {
		if slices.Contains(set.Names(), r.name) || r.name == "default" {
			t.Errorf("the role %q is the name of something else, too", r.name)
		}
		for _, skill := range r.skills {
			if !slices.Contains(set.Names(), skill) || seen[skill] != "" {
				t.Errorf("%q of role %q is no skill, or is in %q, too", skill, r.name, seen[skill])
			}
			seen[skill] = r.name
		}
	}
}

func TestKeyFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	server := newChat(t)
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("good", secret+"\n", 0o600)
	write("readonly", secret, 0o400)
	write("group", secret, 0o640)
	write("world", secret, 0o604)
	write("empty", "\n", 0o600)
	for _, tc := range []struct {
		file, env, want string
		key             string // that the server sees; "" for an error
	}{
		{"good", "", "key accepted", secret},
		{"readonly", "", "key accepted", secret},
		{"good", "sk-of-the-environment", "key accepted", "sk-of-the-environment"},
		{"group", "", "group can be read by others (mode 0640): chmod 600 ", ""},
		{"world", "", "chmod 600 ", ""},
		{"world", "sk-of-the-environment", "chmod 600 ", ""}, // it is open to others, used or not
		{"empty", "", "is empty: write the key into it", ""},
		{".", "", "is not a regular file", ""},
		{secret, "", "it must be the path of a file that holds the key, not the key", ""},
	} {
		config := filepath.Join(dir, "c.yaml")
		if err := os.WriteFile(config, []byte("key_files:\n  openai: "+tc.file+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		a, stdout, stderr := testApp(t.TempDir())
		withEnv(a, envOpenAIURL, server.URL, envOpenAIKey, tc.env)
		server.keys = map[string]bool{}
		code := execute(t.Context(), a, []string{"doctor", "--json", "--config", config, "--model", "openai:m"})
		if !strings.Contains(stdout.String(), tc.want) || (code == cli.ExitDone) != (tc.key != "") || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d: %s%s; want %q", tc.file, code, stdout, stderr, tc.want)
		}
		if tc.key != "" && !server.keys["Bearer "+tc.key] {
			t.Errorf("%s: the server saw %v", tc.file, server.keys)
		}
		if strings.Contains(stdout.String(), secret) || tc.key != "" && strings.Contains(stdout.String(), tc.key) {
			t.Errorf("%s: the key is shown: %s", tc.file, stdout)
		}
	}
}
