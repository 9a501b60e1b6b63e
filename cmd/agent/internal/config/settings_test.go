package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/skills"
)

// Without its comment signs, the configuration of doctor --init sets every key, and to the
// default if there is one.
func TestCommentedConfigGivesTheDefaults(t *testing.T) {
	a := testApp(t)
	table, err := Table(a)
	if err != nil {
		t.Fatal(err)
	}
	text := CommentedConfig(Default(false), table)
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
	before, after := Default(false), Default(false)
	var p parser
	p.apply(&after, table, slices.DeleteFunc(entries, func(e entry) bool { return strings.HasPrefix(e.key, "key_files.") })) // their examples are files
	if p.err != nil {
		t.Fatal(p.err)
	}
	for _, s := range table {
		if want := s.show(&before); want != "" && s.show(&after) != want {
			t.Errorf("%s is %q; the default is %q", s.key, s.show(&after), want)
		}
	}
}

// The page on the configuration holds the file of doctor --init without the keys of single
// skills, so that a new skill does not change the page.
func TestConfigurationPageIsTrue(t *testing.T) {
	a := testApp(t)
	table, err := Table(a)
	if err != nil {
		t.Fatal(err)
	}
	table = slices.DeleteFunc(table, func(s Setting) bool {
		name, ok := strings.CutPrefix(s.key, modelsPrefix)
		return ok && s.key != KeyModel && s.key != keyFallback && !slices.ContainsFunc(roles, func(r role) bool { return r.name == name })
	})
	page := filepath.Join("..", "..", "..", "..", "docs", "configuration.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n.*```\n")
	want := block.ReplaceAllLiteralString(string(data), "```yaml\n"+CommentedConfig(Default(false), table)+"```\n")
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

// The keys in the README's configuration exist.
func TestReadmeConfigurationIsRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindSubmatch(data)
	if block == nil {
		t.Fatal("the README shows no configuration")
	}
	a := testApp(t)
	table, err := Table(a)
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
	if diff := cmp.Diff(want, s.ModelsBySkill()); diff != "" {
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

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"corpus: a", "corpus: [", "a: &x\n- *x", "---\n---\n", "corpus: &a b\nmodel: *a", "? [1]\n: 2", "null", "confidence_threshold: .nan", "models: {judge: openai:m}", "model_limits:\n  timeout: 1e9"} {
		f.Add([]byte(seed))
	}
	a := testApp(f)
	table, err := Table(a)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Default(false)
		entries, err := parseConfig("config.yaml", data, table)
		if err == nil {
			var p parser
			p.apply(&s, table, entries)
			err = p.err
		}
		if err != nil {
			if cli.ExitCode(err) != cli.ExitUsage || !strings.HasPrefix(err.Error(), "config.yaml") {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		if memory.CheckName(s.Corpus) != nil || checkModel(a, s.Model) != nil || !(s.Threshold > 0 && s.Threshold <= 1) {
			t.Errorf("%q: accepted %+v", data, s)
		}
	})
}
