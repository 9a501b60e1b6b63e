package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/text"
)

// remembered holds the remembered answers that a command line names.
type remembered struct{ open.Remembered }

// onMemory runs a verb on the remembered answers that the settings name.
func onMemory(a *cli.App, cmd *cobra.Command, flags *config.Flags, run func(*remembered) error) (err error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	tenant, err := cmd.Flags().GetString(flagTenant)
	if err != nil {
		return err
	}
	if tenant != "" {
		if err := config.CheckCorpus("--"+flagTenant, tenant); err != nil { // a name of the same form
			return err
		}
	}
	r := &remembered{}
	if r.Name, err = open.CorpusFor(s); err != nil {
		return err
	}
	saved := open.NewStore(s)
	defer saved.Close()
	if has, err := saved.Has(open.AnswersFile(s.Home, tenant, r.Name)); err != nil {
		return fmt.Errorf("looking for remembered answers: %w", err)
	} else if !has {
		return run(r)
	}
	if r.Answers, err = saved.Answers(cmd.Context(), tenant, r.Name, nil); err != nil {
		return err
	}
	defer func() { err = cli.Also(err, r.Answers.Close()) }()
	if r.Corpus, r.Fault = open.Corpus(cmd.Context(), a, config.Settings{Home: s.Home, Corpus: r.Name}, nil); r.Fault != nil {
		a.Warn("%v; until then none of its answers is served", r.Fault)
		return run(r)
	}
	defer func() { err = cli.Also(err, r.Corpus.Close()) }()
	set, err := s.LoadSkills()
	if err != nil {
		return err
	}
	if r.Now, err = open.Conditions(s, r.Corpus.Fingerprint(), open.RankerID(r.Corpus), set); err != nil {
		return err
	}
	return run(r)
}

// nothing says that there are no answers, and how to make some.
func (r *remembered) nothing() string {
	return fmt.Sprintf("corpus %s has no remembered answers; a session remembers them, or: agent ask --memory --corpus %s QUESTION", r.Name, r.Name)
}

// unknownAnswer is the usage error for an unknown id. It names the nearest id.
func (r *remembered) unknownAnswer(ctx context.Context, err error) error {
	unknown, ok := errors.AsType[*qa.UnknownError](err)
	if !ok {
		return err
	}
	if len(unknown.Begin) > 0 {
		return cli.Usagef("%w", unknown)
	}
	list, listErr := r.Answers.List(ctx, 0)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	if len(list) == 0 {
		return cli.Usagef("%w; %s", unknown, r.nothing())
	}
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return cli.Usagef("%w%s; agent memory list --corpus %s shows all", unknown, text.DidYouMean(unknown.ID, ids), r.Name)
}

// memoryRow is an entry in a list.
type memoryRow struct {
	qa.Entry
	Stale bool `json:"stale"`
}

func (r *remembered) rows(list []qa.Entry) []memoryRow {
	out := make([]memoryRow, len(list))
	for i, e := range list {
		out[i] = memoryRow{e, r.Stale(e)}
		out[i].Conditions = nil // show lists them
	}
	return out
}
