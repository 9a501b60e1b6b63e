package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/drawing"
	"example.com/assay/cmd/agent/internal/open"
	threadfile "example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/memory"
)

// completionTime bounds the time that a shell waits for names from the home.
const completionTime = 60 * time.Millisecond

// A completer returns the possible values of a word in a command line.
type completer func(a *cli.App, cmd *cobra.Command, args []string) ([]string, cobra.ShellCompDirective)

// completers are the completers by the word that help texts use for a value. A word with an ending,
// such as RUN.jsonl, completes files with that ending. Every other word completes nothing.
var completers = map[string]completer{
	"CORPUS": completeCorpus, "THREAD": completeThread, "MODEL": completeModel, "PIPELINE": completePipeline, "VERB": completeVerb,
	"FILE": only(cobra.ShellCompDirectiveDefault), "PATH": only(cobra.ShellCompDirectiveDefault), "DIR": only(cobra.ShellCompDirectiveFilterDirs), "FOLDER": only(cobra.ShellCompDirectiveFilterDirs),
}

func only(d cobra.ShellCompDirective) completer {
	return func(*cli.App, *cobra.Command, []string) ([]string, cobra.ShellCompDirective) { return nil, d }
}

// completerOf returns the completer for a word of a help text.
func completerOf(word string) completer {
	if at := strings.LastIndexByte(word, '.'); at >= 0 {
		return func(*cli.App, *cobra.Command, []string) ([]string, cobra.ShellCompDirective) {
			return []string{word[at+1:]}, cobra.ShellCompDirectiveFilterFileExt
		}
	}
	if c := completers[word]; c != nil {
		return c
	}
	return only(cobra.ShellCompDirectiveNoFileComp)
}

// completeAll lets shells complete the values of all flags and the arguments of all verbs. The word
// in the help decides about the completer: "`CORPUS` to search", "show CORPUS".
func completeAll(a *cli.App, cmd *cobra.Command) {
	set := func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			return
		}
		word, _ := pflag.UnquoteUsage(f)
		complete := completerOf(word)
		if values := cli.ChoicesOf(f); values != nil {
			complete = func(*cli.App, *cobra.Command, []string) ([]string, cobra.ShellCompDirective) {
				return values, cobra.ShellCompDirectiveNoFileComp
			}
		}
		// It fails only for a flag that has a completion already, since verbs share it.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return complete(a, cmd, args)
		})
	}
	cmd.NonInheritedFlags().VisitAll(set)
	if !cmd.HasSubCommands() {
		words := argumentWords(cmd.Use)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) < len(words) {
				return completerOf(strings.TrimSuffix(words[len(args)], "…"))(a, cmd, args)
			}
			if n := len(words); n > 0 && strings.HasSuffix(words[n-1], "…") {
				return completerOf(strings.TrimSuffix(words[n-1], "…"))(a, cmd, args)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	for _, c := range cmd.Commands() {
		completeAll(a, c)
	}
}

// argumentWords returns the words for arguments in a use line, such as "export CORPUS DIR" or
// "extract --schema FILE FILE…".
func argumentWords(use string) []string {
	var out []string
	fields := strings.Fields(use)[1:]
	for i := 0; i < len(fields) && fields[i] != "|"; i++ {
		if strings.HasPrefix(fields[i], "-") {
			i++ // the flag's value
			continue
		}
		out = append(out, strings.Trim(fields[i], "[]"))
	}
	return out
}

func completeCorpus(a *cli.App, _ *cobra.Command, _ []string) ([]string, cobra.ShellCompDirective) {
	names := []string{open.SampleCorpus, open.CountyCorpus}
	if home, err := a.Env.Home(); err == nil {
		if found, err := memory.Names(home); err == nil {
			names = append(names, found...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

// completeThread offers the threads in the file: a shell must not wait for a server.
func completeThread(a *cli.App, cmd *cobra.Command, _ []string) ([]string, cobra.ShellCompDirective) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(cmd.Context()), completionTime)
	defer stop()
	s, err := completionSettings(a, cmd)
	if err != nil || s.Store.Connect != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := threadfile.Names(ctx, open.ThreadsFile(s.Home))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp // a completion reports nothing
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeModel offers the models in the settings, and providers.
func completeModel(a *cli.App, cmd *cobra.Command, _ []string) ([]string, cobra.ShellCompDirective) {
	names := config.ModelNames(a)
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, "NAME")
	}
	if s, err := completionSettings(a, cmd); err == nil {
		names = slices.AppendSeq(append(names, s.Model, s.Fallback), maps.Values(s.SkillModels))
		names = slices.AppendSeq(names, maps.Keys(s.Limits.Prices))
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completePipeline(*cli.App, *cobra.Command, []string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range open.Pipelines() {
		names = append(names, cobra.CompletionWithDesc(p.Name, drawing.Does(p)))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeVerb(_ *cli.App, cmd *cobra.Command, args []string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if found, _, err := cmd.Root().Find(args); err == nil {
		for _, c := range found.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completionSettings resolves the settings without the flags, which may be half typed.
func completionSettings(a *cli.App, cmd *cobra.Command) (config.Settings, error) {
	var flags config.Flags
	var none cobra.Command
	flags.Register(&none, false)
	if f := cmd.Flags().Lookup("config"); f != nil && f.Changed {
		if err := none.Flags().Set("config", f.Value.String()); err != nil {
			return config.Settings{}, err
		}
	}
	return config.Resolve(a, &none, &flags)
}
