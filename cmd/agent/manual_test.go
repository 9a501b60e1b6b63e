package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
)

// This test writes the manual, so that the program does not link its writer. Package release
// uses it for the pages of man.
var (
	manDir  = flag.String("man", "", "write the pages of man into this `DIR`")
	manDate = flag.String("date", "", "`DATE` in the pages")
	manName = flag.String("named", "", "`VERSION` in the pages")
)

// docs/cli.md agrees with the command tree, and each verb has a page for man.
func TestManual(t *testing.T) {
	a, _, _ := clitest.App(t.TempDir())
	table, err := config.Table(a)
	if err != nil {
		t.Fatal(err)
	}
	variables := config.Variables(table)
	root := rootCommand(a)
	root.InitDefaultCompletionCmd("completion")
	var verbs []*cobra.Command
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		verbs = append(verbs, cmd)
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				visit(c)
			}
		}
	}
	visit(root)
	if len(verbs) < 40 {
		t.Errorf("only %d verbs", len(verbs))
	}
	pages := *manDir
	if pages == "" {
		pages = t.TempDir()
	}
	for _, v := range verbs {
		page := manPage(v, *manDate, *manName, variables)
		if !strings.Contains(page, "\n.SH SYNOPSIS\n") {
			t.Errorf("the page of %s has no synopsis", v.CommandPath())
		}
		if err := os.WriteFile(filepath.Join(pages, dashed(v)+".1"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	reference := filepath.Join("..", "..", "docs", "cli.md")
	want := markdown(verbs, variables)
	if *update {
		if err := os.WriteFile(reference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("docs/cli.md is not what the commands say; write it anew: go test ./cmd/agent -run TestManual -update")
	}
}

func dashed(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// exitCodes are the codes in the help of the program.
func exitCodes(cmd *cobra.Command) [][]string {
	_, list, _ := strings.Cut(strings.ReplaceAll(cmd.Root().Long, "\n", " "), "Exit codes: ")
	return regexp.MustCompile(`(\d+) ([^,.]+)`).FindAllStringSubmatch(list, -1)
}

func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// eachFlag calls do with a verb's own flags, in the form in which they are typed, and their
// explanation.
func eachFlag(cmd *cobra.Command, do func(typed, explained string)) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, explained := pflag.UnquoteUsage(f)
		typed := "--" + f.Name
		if f.Shorthand != "" {
			typed = "-" + f.Shorthand + ", " + typed
		}
		if value != "" && f.Value.Type() != "bool" {
			typed += " " + value
		}
		if zero := map[string]bool{"": true, "false": true, "0": true, "[]": true, "0s": true}; !zero[f.DefValue] {
			explained += " (default " + f.DefValue + ")"
		}
		do(typed, explained)
	})
}

// markdown makes docs/cli.md.
func markdown(verbs []*cobra.Command, variables []config.Variable) string {
	var b strings.Builder
	b.WriteString("# All verbs and flags\n\nWritten by `go test ./cmd/agent -run TestManual -update` from the commands themselves; the pages of\n`man` say the same. [commands.md](commands.md) is the short list by purpose.\n\n## Exit codes\n\n| code | means |\n|---|---|\n")
	for _, code := range exitCodes(verbs[0]) {
		fmt.Fprintf(&b, "| %s | %s |\n", code[1], code[2])
	}
	b.WriteString("\n## Environment\n\n| variable | what it is |\n|---|---|\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, v.About)
	}
	for _, cmd := range verbs {
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n\n```text\n%s\n```\n", cmd.CommandPath(), cmd.UseLine(), strings.TrimSpace(about(cmd)))
		if cmd.Example != "" {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", unindented(cmd.Example))
		}
		first := true
		eachFlag(cmd, func(typed, explained string) {
			if first {
				b.WriteString("\n| flag | what it does |\n|---|---|\n")
				first = false
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(typed, "|", `\|`), strings.ReplaceAll(explained, "|", `\|`))
		})
	}
	return b.String()
}

func unindented(example string) string {
	return strings.ReplaceAll(strings.TrimPrefix(example, "  "), "\n  ", "\n")
}

// roff quotes a text so that man prints it unchanged.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\&...`, "“", `\(lq`, "”", `\(rq`, "’", "'").Replace(text)
	return regexp.MustCompile(`(?m)^([.'])`).ReplaceAllString(text, `\&$1`)
}

// manPage makes a verb's page.
func manPage(cmd *cobra.Command, date, version string, variables []config.Variable) string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	verbatim := func(text string) { fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(strings.TrimRight(text, "\n"))) }
	item := func(term, text string) { fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(term), roff(text)) }
	fmt.Fprintf(&b, ".TH %q 1 %q %q %q\n.ad l\n", strings.ToUpper(dashed(cmd)), date, "assay "+version, "Assay")
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(dashed(cmd)), roff(cmd.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, "\\fB%s\\fR\n", roff(cmd.UseLine()))
	section("DESCRIPTION")
	verbatim(about(cmd))
	first := true
	eachFlag(cmd, func(typed, explained string) {
		if first {
			section("OPTIONS")
			first = false
		}
		item(typed, explained)
	})
	if cmd.Example != "" {
		section("EXAMPLES")
		verbatim(cmd.Example)
	}
	section("EXIT STATUS")
	for _, code := range exitCodes(cmd) {
		item(code[1], code[2])
	}
	if !cmd.HasParent() {
		section("ENVIRONMENT")
		for _, v := range variables {
			item(v.Name, v.About)
		}
	}
	section("SEE ALSO")
	var others []string
	if cmd.HasParent() {
		others = append(others, dashed(cmd.Parent()))
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			others = append(others, dashed(c))
		}
	}
	for i, name := range others {
		others[i] = `\fB` + roff(name) + `\fR(1)`
	}
	b.WriteString(strings.Join(others, ",\n") + "\n")
	return b.String()
}
