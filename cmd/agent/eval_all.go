package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/metrics"
)

// A measurement is one command of agent eval on a data set. In args, names that
// begin with "@" are files of the set's folder, and those that begin with "%" files of
// the embedded schemas.
type measurement struct {
	folder string
	about  string // where the data come from
	args   string
	show   []string // of its metrics; nil for all
}

// measurements are what is measured on each data set that the project knows.
var measurements = []measurement{
	{"obliqa", "github.com/RegNLP/ObliQADataset", "retrieval --format obliqa --corpus @corpus.jsonl.gz --queries @questions.jsonl", []string{"R@10", "MAP@10"}},
	{"obliqa", "github.com/RegNLP/ObliQADataset", "comply --format obliqa --corpus @corpus.jsonl.gz --data @questions.jsonl --limit 300", nil},
	{"scifact", "github.com/allenai/scifact", "retrieval --format scifact --corpus @corpus.jsonl.gz --queries @claims.jsonl", []string{"nDCG@10", "R@10"}},
	{"morehopqa", "github.com/Alab-NII/morehopqa, passages github.com/OSU-NLP-Group/HippoRAG", "retrieval --format morehopqa --corpus @corpus.jsonl.gz --queries @questions.jsonl", []string{"R@2", "R@5"}},
	{"legalbench_rag", "github.com/zeroentropy-ai/legalbenchrag", "retrieval --format legalbench --corpus @corpus.jsonl.gz --queries @queries.jsonl", []string{"char_recall@10", "doc_hit@1"}},
	{"barexam_qa", "huggingface.co/datasets/reglab/barexam_qa (qa)", "retrieval --format barexam --corpus @corpus.jsonl --queries @questions.jsonl --choices pooled", []string{"R@10"}},
	{"barexam_qa", "huggingface.co/datasets/reglab/barexam_qa (qa)", "mcq --data @", nil},
	{"bipia_injection", "github.com/microsoft/BIPIA", "injection --data @ --cross", nil},
	{"wice", "github.com/ryokamoi/wice", "claims --format wice --data @claims.jsonl.gz", nil},
	{"faithbench", "github.com/vectara/FaithBench", "claims --format faithbench --data @samples.jsonl.gz", nil},
	{"pubmed_causal_language", "github.com/junwang4/causal-language-use-in-science", "causal --format pubmed --data @sentences.jsonl", nil},
	{"causal_news_corpus", "github.com/tanfiona/CausalNewsCorpus", "causal --format cnc --data @sentences.jsonl", nil},
	{"semeval2010t8_pairs", "github.com/tanfiona/UniCausal", "causal --format pairs --data @pairs.jsonl", nil},
	{"obligation_sentences", "github.com/RegNLP/RePASs", "obligations --data @sentences.jsonl", nil},
	{"sroie", "github.com/zzzDavid/ICDAR-2019-SROIE", "extract --format sroie --schema %receipt.json --data @receipts.jsonl", []string{"F1", "F1_normalised"}},
	{"kleister_nda", "github.com/applicaai/kleister-nda", "extract --format kleister --schema %contract.json --data @documents.jsonl.gz", []string{"F1", "F1_normalised"}},
}

func (a *app) evalAllCommand() *cobra.Command {
	var asJSON bool
	var only string
	cmd := &cobra.Command{
		Use:   "all DIR",
		Short: "Measure on every data set that is there",
		Long: `All runs agent eval on each data set in a folder, offline, and prints the metrics
with their 95 % intervals. A set that is not there is left out, and it is said where
it comes from. Each set lies in a folder of its name:

` + listed() + `
Trained parts may have been trained on a part of a set; docs/results.md says which, and
has the cross-validated figures.`,
		Example: `  agent eval all data
  agent eval all data --only sroie
  agent eval all data --json > figures.json`,
		Args: exactly(1, "the folder of the data sets"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evalAll(cmd, args[0], only, asJSON) },
	}
	cmd.Flags().StringVar(&only, "only", "", "measure only sets with this `TEXT` in their name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// listed names the data sets for people.
func listed() string {
	var b strings.Builder
	seen := ""
	for _, m := range measurements {
		if m.folder != seen {
			fmt.Fprintf(&b, "  %-24s%s\n", m.folder, m.about)
		}
		seen = m.folder
	}
	return b.String()
}

// A measuredSet is what one measurement came to.
type measuredSet struct {
	Folder  string                      `json:"folder"`
	Command string                      `json:"command"`
	Skipped string                      `json:"skipped,omitempty"` // why it was left out
	N       int                         `json:"n"`
	Trained bool                        `json:"trained_on_this_data"`
	Metrics map[string]metrics.Interval `json:"metrics"`
}

func (a *app) evalAll(cmd *cobra.Command, dir, only string, asJSON bool) (err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("%s is no folder of data sets; agent help eval all lists them", dir)
	}
	schemas, err := os.MkdirTemp("", "agent-schemas-*")
	if err != nil {
		return err
	}
	defer func() { err = also(err, os.RemoveAll(schemas)) }()
	files, err := casestudies.Schemas()
	if err == nil {
		err = os.CopyFS(schemas, files)
	}
	if err != nil {
		return fmt.Errorf("writing the schemas: %w", err)
	}
	progress := a.newIngestProgress(asJSON)
	chosen := slices.DeleteFunc(slices.Clone(measurements), func(m measurement) bool { return !strings.Contains(m.folder, only) })
	var sets []measuredSet
	for i, m := range chosen {
		progress.update("measuring "+m.folder, i, len(chosen))
		set, err := a.measureSet(cmd, dir, schemas, m)
		if err != nil {
			return errors.Join(err, progress.close())
		}
		sets = append(sets, set)
	}
	if err := progress.close(); err != nil {
		return err
	}
	if len(sets) == 0 {
		return usagef("no data set has %q in its name; there are:\n%s", only, listed())
	}
	if asJSON {
		a.printJSON(struct {
			Schema int           `json:"schema"`
			Task   string        `json:"task"`
			Sets   []measuredSet `json:"sets"`
		}{1, "all", sets})
		return nil
	}
	for _, set := range sets {
		a.printSet(set)
	}
	return nil
}

// measureSet runs one command of agent eval and reads what it prints.
func (a *app) measureSet(cmd *cobra.Command, dir, schemas string, m measurement) (measuredSet, error) {
	set := measuredSet{Folder: m.folder, Metrics: map[string]metrics.Interval{}}
	args := []string{"eval"}
	shown := []string{"agent", "eval"}
	for _, arg := range strings.Fields(m.args) {
		switch name := strings.TrimLeft(arg, "@%"); arg[0] {
		case '@':
			arg = filepath.Join(dir, m.folder, name)
			if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
				set.Command = "agent eval " + m.args
				set.Skipped = fmt.Sprintf("there is no %s; the data come from %s", arg, m.about)
				return set, nil
			}
		case '%':
			args, shown = append(args, filepath.Join(schemas, name)), append(shown, "case_studies/schemas/"+name)
			continue
		}
		args, shown = append(args, arg), append(shown, arg)
	}
	set.Command = strings.Join(shown, " ")
	var out bytes.Buffer
	root := a.with(&out).rootCommand()
	root.SetArgs(append(args, "--json"))
	if err := root.ExecuteContext(cmd.Context()); err != nil {
		return set, fmt.Errorf("measuring %s: %w", m.folder, err)
	}
	var doc struct {
		N       int                         `json:"n"`
		Trained bool                        `json:"trained_on_this_data"`
		Metrics map[string]metrics.Interval `json:"metrics"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		return set, fmt.Errorf("measuring %s: %w", m.folder, err)
	}
	set.N, set.Trained = doc.N, doc.Trained
	for name, v := range doc.Metrics {
		if m.show == nil || slices.Contains(m.show, name) {
			set.Metrics[name] = v
		}
	}
	return set, nil
}

// with is the same program that prints somewhere else, and no progress.
func (a *app) with(stdout *bytes.Buffer) *app {
	return &app{
		stdin: a.stdin, stdout: newScreen(stdout, a.env), stderr: a.stderr, env: a.env, now: a.now, random: a.random, release: func() {}, models: a.models, verbose: a.verbose,
	}
}

func (a *app) printSet(set measuredSet) {
	fmt.Fprintf(a.stdout, "%s: %s\n", set.Folder, set.Command)
	if set.Skipped != "" {
		fmt.Fprintf(a.stdout, "  skipped: %s\n", render.Visible(set.Skipped))
	}
	if set.Trained {
		fmt.Fprintln(a.stdout, "  a fit: shipped weights were trained on these labels; see docs/results.md for cross-validated figures")
	}
	for _, name := range slices.Sorted(maps.Keys(set.Metrics)) {
		v := set.Metrics[name]
		fmt.Fprintf(a.stdout, "  %-26s  %.4f  [%.4f, %.4f]  n %d\n", name, v.Value, v.Lo, v.Hi, set.N)
	}
}
