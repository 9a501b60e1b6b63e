// Package verify is agent verify: it checks a response against files or a corpus, claim by claim.
//
//	agent verify --response answer.txt --context handbook.md
//
// It judges nothing itself: package nodes/verify does.
package verify

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// verifyFlags are the flags of agent verify.
type verifyFlags struct {
	query, response string
	asOf            string
	context         []string
	trace           string
	asJSON          bool
}

// Command is agent verify.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var v verifyFlags
	cmd := &cobra.Command{
		Use:   "verify --response FILE --context PATH…",
		Short: "Check a response against evidence, claim by claim",
		Long: `Verify splits a response into claims and decides for each whether the evidence
supports it, with quotes. The evidence is files and directories (--context), a corpus
(--corpus), or both. A corpus is searched for each claim. Unsupported claims are
marked in the response (--unsupported).

With a corpus, a response below the threshold gets a correction: more evidence is
searched for, and the correction is checked and shown after the response. It changes
no verdict and no exit code.

Claims may cite: [Source 2] is the second --context, and the id of a record, such as
[REQ-S001], is that record. Cited evidence is checked first. A correction cites
passages of the corpus as [P-1], [P-2] and so on.

Code compares numbers, units, dates, names, negation, quantifiers, modality and who
does something, whatever a model says. A claim in doubt is supported except for the
named words, which could not be checked.

Exit code 0: every claim is supported. 3: not every claim is, or nothing was there
to check. 1: no claim could be judged, and the cause is named.`,
		Example: `  agent verify --response answer.txt --context handbook.md
  agent verify --query "How long is the notice?" --response answer.txt --context docs/ --show-claims
  agent verify --response answer.txt --corpus handbook --json
  agent verify --response - --context a.md --context b.pdf < answer.txt`,
		Args: cli.Exactly(0, "no arguments besides its flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.Failed = func(err error) any {
				return verify.Answer{Answer: state.FailedAnswer("verify", v.query, cli.EndOf(err)), History: []verify.ShownAttempt{}, Additional: []state.Source{}}
			}
			return run(a, cmd, &flags, v)
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.query, "query", "", "the `QUESTION` that the response answers")
	f.StringVar(&v.response, "response", "", "`FILE` with the response; - is standard input")
	f.StringArrayVar(&v.context, "context", nil, "`PATH` of a file or directory of evidence; - is standard input; may be repeated")
	f.String("corpus", "", "`CORPUS` that is searched for each claim, and for corrections")
	f.StringVar(&v.asOf, "as-of", "", "search the corpus as of this `DATE` (2024-06-30, 2024-06 or 2024): leave out documents that hold from a later day, or until an earlier one")
	f.StringVar(&v.trace, "trace", "", "write the run's trace to `FILE` (JSON Lines)")
	f.BoolVar(&v.asJSON, "json", false, "print one JSON document")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterVerification(cmd)
	config.RegisterTemporal(f)
	return cmd
}
