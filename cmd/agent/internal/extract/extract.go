package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
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
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

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
		a.PrintJSON(struct {
			Schema    int              `json:"schema"`
			Pipeline  string           `json:"pipeline"`
			Documents []extract.Answer `json:"documents"`
			Summary   []fieldSummary   `json:"summary"`
		}{state.AnswerSchema, "extract", answers, summarise(schema, answers)})
	case f.asJSON || len(answers) == 0: // the error says why
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
	source  []byte // the bytes of the schema
	made    pipeline.Instance
	timeout time.Duration
}

// one reads a document. The answer says the error, too.
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

var fieldPage = look.Parse(nil, `{{define "body"}}{{range .Documents}}<section id="{{.ID}}" aria-labelledby="{{.ID}}-name">
<h2 id="{{.ID}}-name" dir="auto">{{.Name}}</h2>
{{.Evidence}}
</section>
{{end}}{{end}}`)

type shownDocument struct {
	ID, Name string
	Evidence template.HTML
}

// writeFieldPage writes a page that shows each document next to its fields, with their places
// marked.
func writeFieldPage(ctx context.Context, path string, docs []extract.Document, answers []extract.Answer) error {
	p := struct {
		Frame     look.Frame
		Documents []shownDocument
	}{Frame: look.Frame{Title: "Fields of " + cli.Count(len(answers), "document"), Eyebrow: "Assay · extract", Full: true, Foot: "Written by agent extract. This page needs no network and no script."}}
	p.Frame.Heading = p.Frame.Title
	for i, answer := range answers {
		one := shownDocument{ID: fmt.Sprintf("part-%d", i+1), Name: answer.Document}
		var err error
		read := func(context.Context, proof.Document) (proof.Content, error) {
			return extract.Content(docs[i].FieldDocument), nil
		}
		if one.Evidence, err = evidence.Section(ctx, answer.Proof(), read, &evidence.Options{Prefix: one.ID, Of: one.ID + "-name", Level: 3}); err != nil {
			return fmt.Errorf("writing --html: %w", err)
		}
		p.Documents = append(p.Documents, one)
		if len(answers) > 1 {
			p.Frame.Parts = append(p.Frame.Parts, look.Link{Text: one.Name, Href: "#" + one.ID})
		}
	}
	var b bytes.Buffer
	if err := look.Write(&b, fieldPage, p); err != nil {
		return fmt.Errorf("writing --html: %w", err)
	}
	if err := cli.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return cli.Usagef("writing --html: %w", err)
	}
	return nil
}

// printFieldSummary prints the results of many documents.
func printFieldSummary(a *cli.App, schema *extract.Schema, answers []extract.Answer, out string) {
	passed := 0
	for _, answer := range answers {
		if answer.Report.Passed {
			passed++
		}
		if out == "" {
			render.Proof(a, answer.Proof(), true)
			fmt.Fprintln(a.Stdout)
		}
	}
	fmt.Fprintf(a.Stdout, "%s, %d verified\n\n%-24s  %7s  %7s  %7s\n", cli.Count(len(answers), "document"), passed, "field", "found", "missing", "issues")
	for _, s := range summarise(schema, answers) {
		fmt.Fprintf(a.Stdout, "%-24s  %7d  %7d  %7d\n", s.Field, s.Found, s.Missing, s.Issues)
	}
	if out != "" {
		fmt.Fprintf(a.Stdout, "\nresults: %s\n", out)
	}
}
