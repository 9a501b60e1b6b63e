package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/decide/injection"
	"example.com/assay/graph"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// Bounds of a response and of standard input, in bytes. A response of 690 kB with 100,000 claims
// took 20 s. Evidence may be longer than a response.
const (
	maxResponse = 256 << 10
	maxStdin    = 16 << 20
)

func run(a *cli.App, cmd *cobra.Command, flags *config.Flags, v verifyFlags) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	_, wantsCorpus := s.Origins["corpus"]
	switch {
	case v.response == "":
		return cli.Usagef("--response is missing: name a file with the response, or - for standard input")
	case len(v.context) == 0 && !wantsCorpus:
		return cli.Usagef("there is no evidence: name files with --context PATH, or a corpus with --corpus NAME")
	}
	if err := cli.Named(cmd, "trace"); err != nil {
		return err
	}
	if err := cli.Day(cmd, "as-of"); err != nil {
		return err
	}
	in, texts, err := verifyInput(ctx, a, v)
	if err != nil {
		return err
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	w := open.Want{Skills: verify.Skills(), Workers: true}
	if wantsCorpus {
		w.Corpus = open.Corpus
	}
	d, err := open.New(ctx, a, s, files, w)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, d.Close()) }()
	p, err := d.Verify()
	if err != nil {
		return err
	}
	r := open.Run{
		Pipeline: open.MustPipeline("verify"), Made: p.Instance(nil, wantsCorpus), Files: evidence{texts, d.Corpus},
		Title: cmp.Or(in.Query, "verify: "+in.Response), File: v.trace,
	}
	if r.Input, err = open.Encoded(in.Update()); err != nil {
		return err
	}
	shown := render.NewProgress(a, v.asJSON)
	r.Observe = func(ev graph.Event[json.RawMessage]) { render.Observe(shown, ev) }
	ctx, cancel := cli.Within(ctx, flags.Timeout)
	defer cancel()
	got, runErr := d.Answer(ctx, r)
	shown.Close()
	if got == nil {
		return runErr
	}
	answer := *got.(*verify.Answer)
	answer.Question = in.Query
	if v.asJSON {
		a.PrintJSON(answer)
		if answer.Status == state.StatusUnavailable {
			a.Warn("%s", answer.Words())
		}
	} else {
		render.Proof(a, answer.Proof(), s.Verification.ShowClaims)
	}
	render.Warnings(a, answer.Answer)
	switch {
	case answer.Status == state.StatusAnswered:
		return nil
	case runErr != nil && (answer.Status == state.StatusCancelled || answer.Status == state.StatusFailed):
		return runErr
	}
	return cli.Silent(answer.Status.ExitCode())
}

// verifyInput reads the response and the context.
func verifyInput(ctx context.Context, a *cli.App, v verifyFlags) (in verify.Input, texts *memory.Texts, err error) {
	fromStdin := 0
	var paths []string
	for _, p := range v.context {
		if p == "-" {
			fromStdin++
		} else {
			paths = append(paths, p)
		}
	}
	if v.response == "-" {
		fromStdin++
	}
	if fromStdin > 1 {
		return in, nil, cli.Usagef("standard input is named twice: it can be the response or one context")
	}
	var typed string
	if fromStdin == 1 {
		data, err := a.ReadStdin(ctx, maxStdin)
		if err != nil {
			return in, nil, err
		}
		if len(data) > maxStdin {
			return in, nil, cli.Usagef("standard input is longer than %d MiB: verify it in parts", maxStdin>>20)
		}
		typed = string(data)
	}
	in = verify.Input{Query: strings.TrimSpace(v.query), Response: typed, AsOf: v.asOf}
	if v.response != "-" {
		if in.Response, err = readResponse(v.response); err != nil {
			return in, nil, err
		}
	}
	if err := checkResponse(in.Response); err != nil {
		return in, nil, err
	}
	texts = &memory.Texts{}
	if len(paths) > 0 {
		if texts, err = memory.ReadTexts(ctx, paths); err != nil {
			return in, nil, err
		}
	}
	for i, s := range texts.Skipped {
		if a.Verbose || i == 0 {
			a.Warn("skipped %s: %s", s.Path, s.Reason)
		}
	}
	if n := len(texts.Skipped); n > 1 && !a.Verbose {
		a.Warn("and %d more; -v lists them", n-1)
	}
	if v.response != "-" && fromStdin == 1 {
		if err := texts.AddText(ctx, cli.StdinName, typed); err != nil {
			return in, nil, err
		}
	}
	in.Evidence = verify.Labelled(texts.Passages, injection.Orders)
	return in, texts, nil
}

func readResponse(path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", cli.Usagef("reading --response: %w; to give the text itself: echo \"…\" | agent verify --response -", err)
	}
	data, err := plainfile.Read(path, maxStdin)
	if err != nil {
		return "", cli.Usagef("reading --response: %w", err)
	}
	return string(data), nil
}

func checkResponse(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return cli.Usagef("the response is empty: there is nothing to verify")
	case len(text) > maxResponse:
		return cli.Usagef("the response is longer than %d KiB: verify it in parts", maxResponse>>10)
	case !utf8.ValidString(text):
		return cli.Usagef("the response is not valid UTF-8 at byte %d; convert it, for example with: iconv -f LATIN1 -t UTF-8", cli.InvalidAt(text))
	}
	return nil
}

// evidence finds sources in the texts of --context, else in the corpus.
type evidence struct {
	texts  *memory.Texts
	corpus *memory.Corpus // nil for none
}

// TextPath locates a source.
func (e evidence) TextPath(source string) (path, original string, err error) {
	path, original, err = e.texts.TextPath(source)
	if err != nil && e.corpus != nil {
		return e.corpus.TextPath(source)
	}
	return path, original, err
}

// Passage finds a passage.
func (e evidence) Passage(id string) (state.Passage, bool, error) {
	p, ok, err := e.texts.Passage(id)
	if ok || err != nil || e.corpus == nil {
		return p, ok, err
	}
	return e.corpus.Passage(id)
}
