package extract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/memory/document"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

// extractFlags are the flags of agent extract.
type extractFlags struct {
	schema     string
	iterations int
	review     bool
	html, out  string
	jobs       int
	trace      string
	asJSON     bool
}

// Command is agent extract.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var x extractFlags
	cmd := &cobra.Command{
		Use:   "extract --schema FILE FILE…",
		Short: "Read fields from documents by a JSON Schema",
		Long: `Extract reads the fields that a JSON Schema describes from documents: text, markdown,
HTML, Word, PDF, or OCR lines with boxes (.jsonl). Folders are read with their
subfolders. Each value comes with its place in the document. Rules check the values; a
document whose values fail is read again, and the best reading counts.

In addition to the standard's keywords a schema may have the formats currency, email,
phone, percent, company, address, period, jurisdiction and party; x-anchor: labels near
a value; x-check: arithmetic, such as "total == sum(items.amount) + tax";
x-normalise: upper, lower, title, alphanumeric, underscore, legal_form, month_first.

An OCR file has a record on each line. Either each record is a document:
{"id": …, "ocr_lines": [{"text": …, "box": [x1, y1, x2, y2]}]}; or all records are
lines of one document: {"text": …, "box": […]}.

With --out a stopped run can continue: a document that is in results.jsonl, with the
same bytes and the same schema, is not read again.

A value that is not in the document is reported and left out of the result. Exit code
3: there was such a value, calls were lost, or no document has any value. The output
says which.`,
		Example: `  agent extract --schema receipt.json receipt.pdf
  agent extract --schema contract.json contract.txt --json
  agent extract --schema receipt.json scans/ --out results
  agent extract --schema receipt.json scans.jsonl --html found.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("agent extract needs at least one file or folder; see agent help extract")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Failed = func(err error) any {
				failed := (&extract.Schema{}).Answer(extract.State{}, err)
				failed.End = cli.EndOf(err)
				return failed
			}
			return run(a, cmd, &flags, x, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&x.schema, "schema", "", "`FILE` of the JSON Schema")
	f.IntVar(&x.iterations, "max-iterations", 3, "read a document at most `NUMBER` times")
	f.BoolVar(&x.review, "llm-verification", false, "also ask the model for its opinion on the values")
	f.StringVar(&x.html, "html", "", "write a page that shows the documents with the values marked to `FILE`")
	f.StringVar(&x.out, "out", "", "write results.jsonl and fields.csv to the folder `DIR`, or continue there")
	f.IntVar(&x.jobs, "jobs", 0, "`NUMBER` of documents that are read at the same time; 0: as many as processors or, with a provider, as concurrent calls (model_limits.concurrency)")
	f.StringVar(&x.trace, "trace", "", "write the run's trace to `FILE` (JSON Lines); for one document")
	f.BoolVar(&x.asJSON, "json", false, "print one JSON document")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterTemporal(f)
	return cmd
}

func run(a *cli.App, cmd *cobra.Command, flags *config.Flags, f extractFlags, paths []string) (err error) {
	switch {
	case f.schema == "":
		return cli.Usagef("--schema is missing: name a file with a JSON Schema, such as case_studies/schemas/receipt.json")
	case f.iterations < 1:
		return cli.Usagef("--max-iterations is %d: it must be at least 1", f.iterations)
	case f.jobs < 0 || f.jobs > 64:
		return cli.Usagef("--jobs is %d: it must be from 0 to 64", f.jobs)
	}
	if err := cli.Named(cmd, "trace"); err != nil {
		return err
	}
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	schema, source, err := open.Schema(f.schema)
	if err != nil {
		return err
	}
	docs, err := readDocuments(cmd.Context(), a, paths)
	if err != nil {
		return err
	}
	if f.trace != "" && len(docs) > 1 {
		return cli.Usagef("--trace is for one document; there are %d", len(docs))
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	d, err := open.New(cmd.Context(), a, s, files, open.Want{Skills: extract.Skills(), Workers: true})
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, d.Close()) }()
	r := &fieldReader{Desk: d, flags: f, schema: schema, source: source, timeout: flags.Timeout}
	p, err := d.Extract(schema, &extract.Options{MaxIterations: f.iterations, Review: f.review})
	if err != nil {
		return err
	}
	r.made = p.Instance()
	answers, runErr := r.all(cmd.Context(), docs)
	if f.html != "" && len(answers) > 0 {
		if err := writeFieldPage(cmd.Context(), f.html, docs, answers); err != nil {
			return cli.Also(runErr, err)
		}
	}
	switch {
	case f.asJSON && len(docs) == 1 && len(answers) == 1:
		a.PrintJSON(answers[0])
	case f.asJSON && len(answers) > 0:
		a.PrintJSON(fieldsDocument{Schema: state.AnswerSchema, Pipeline: "extract", Documents: answers, Summary: summarise(schema, answers)})
	case f.asJSON || len(answers) == 0: // the error tells
	case len(docs) == 1:
		render.Proof(a, answers[0].Proof(), true)
	default:
		printFieldSummary(a, schema, answers, f.out)
	}
	of := map[state.Status]int{}
	for _, answer := range answers {
		render.Warnings(a, answer.Answer)
		if runErr == nil && len(docs) > 1 && (answer.Status == state.StatusUnavailable || answer.Status == state.StatusFailed) {
			a.Warn("%s: %s", answer.Document, answer.Words())
		}
		of[answer.Status]++
	}
	switch {
	case runErr != nil && len(docs) == 1 && len(answers) == 1:
		return cli.Told(answers[0].End, runErr)
	case runErr != nil:
		return cli.Told(cli.EndOf(runErr), runErr)
	case len(docs) == 1:
		return cli.Told(answers[0].End, nil)
	case of[state.StatusUnavailable]+of[state.StatusFailed] > 0:
		return cli.Silent(cli.ExitFailed)
	case of[state.StatusUngrounded] > 0, of[state.StatusAnswered] == 0:
		return cli.Silent(state.StatusUngrounded.ExitCode())
	}
	return nil
}

// fieldsDocument is what --json prints of several documents.
type fieldsDocument struct {
	Schema    int              `json:"schema"`
	Pipeline  string           `json:"pipeline"`
	Documents []extract.Answer `json:"documents"`
	Summary   []fieldSummary   `json:"summary"`
}

// readDocuments reads files, and the readable files of folders in the order of their
// names.
func readDocuments(ctx context.Context, a *cli.App, paths []string) ([]extract.Document, error) {
	var out []extract.Document
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, cli.Usagef("reading documents: %w", err)
		}
		if !info.IsDir() {
			docs, err := docfile.Read(ctx, path)
			if err != nil {
				return nil, err
			}
			out = append(out, docs...)
			continue
		}
		err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
				return err
			}
			docs, err := docfile.Read(ctx, name)
			if bad, ok := errors.AsType[*document.InputError](err); ok {
				a.Warn("skipped %s: %s", name, bad.Msg)
				return nil
			}
			out = append(out, docs...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", path, err)
		}
	}
	if len(out) == 0 {
		return nil, cli.Usagef("there is nothing to read in %s; readable are %s", strings.Join(paths, ", "), strings.Join(document.Extensions(), " "))
	}
	return out, nil
}

// A fieldReader reads documents with one pipeline.
type fieldReader struct {
	*open.Desk
	flags   extractFlags
	schema  *extract.Schema
	source  []byte // of the schema
	made    pipeline.Instance
	timeout time.Duration
}

// one reads a document. The answer also holds the error.
func (r *fieldReader) one(ctx context.Context, runID string, doc extract.Document, watch func(graph.Event[json.RawMessage])) (answer extract.Answer, err error) {
	ctx, cancel := cli.Within(ctx, r.timeout)
	defer cancel()
	input, err := open.Encoded(extract.Update(doc.FieldDocument))
	if err != nil {
		return answer, err
	}
	got, err := r.Answer(ctx, open.Run{
		Pipeline: open.MustPipeline("extract"), Made: r.made, Input: input, Title: "extract: " + doc.Source, File: r.flags.trace, Observe: watch,
		Settings: map[string]string{
			config.TracedSchema: string(r.source), config.TracedIterations: strconv.Itoa(r.flags.iterations), config.TracedOpinion: strconv.FormatBool(r.flags.review),
		}, Options: graph.RunOptions{RunID: runID},
	})
	if got != nil {
		answer = *got.(*extract.Answer)
		answer.Document = doc.Source
	}
	return answer, err
}

// hashOf is the hash of a document's text and boxes.
func hashOf(doc extract.Document) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\n%v", len(doc.Text), doc.Text, doc.Boxes)
	return hex.EncodeToString(h.Sum(nil))
}

// key identifies a kept result: its document, its schema and the settings.
func (r *fieldReader) key(doc extract.Document) string {
	names := make([]string, 0, len(r.Hashes))
	for name, hash := range r.Hashes {
		names = append(names, name+"="+hash)
	}
	slices.Sort(names)
	schema := sha256.Sum256(r.source)
	sum := sha256.Sum256([]byte(strings.Join(append(names, doc.Source, hashOf(doc), hex.EncodeToString(schema[:]), r.ModelLabel(), strconv.Itoa(r.flags.iterations), strconv.FormatBool(r.flags.review)), "\x00")))
	return hex.EncodeToString(sum[:])
}
