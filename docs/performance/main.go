package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

const help = `Runs the same small graphs by hand, on assay, on eino and on LangGraph.js, and
prints a Markdown table of medians (least–greatest) and ratios.

Run it in its own folder:

	cd docs/performance
	go run .                         all workloads, 5 rounds
	go run . -rounds 15              narrower medians
	go run . -only loop              one row
	go run . -json > figures.json    every sample, for other tools
	go run . -server                 the server, in place of the engines

LangGraph.js needs node and npm. The first run fetches its packages. Without
them its column says so and the rest is measured.

`

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "performance: stopped")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

// command is the program: it prints the result on out and its progress on log.
func command(ctx context.Context, args []string, out, log io.Writer) error {
	rows := workloads()
	names := make([]string, len(rows))
	for i, w := range rows {
		names[i] = w.name
	}
	flags := flag.NewFlagSet("performance", flag.ContinueOnError)
	flags.SetOutput(log)
	rounds := flags.Int("rounds", 5, "how often each figure is measured, after one round to warm up")
	only := flags.String("only", "", "the one workload to run: "+strings.Join(names, ", "))
	asJSON := flags.Bool("json", false, "print every sample as JSON in place of the table")
	asServer := flags.Bool("server", false, "measure runs over HTTP in place of the engines")
	flags.Usage = func() { fmt.Fprint(log, help); flags.PrintDefaults() }
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: there are only flags", flags.Arg(0))
	case *rounds < 1:
		return fmt.Errorf("-rounds is %d: it must be at least 1", *rounds)
	case *only != "":
		at := slices.Index(names, *only)
		if at < 0 {
			return fmt.Errorf("-only is %q: the workloads are %s", *only, strings.Join(names, ", "))
		}
		rows = rows[at : at+1]
	}
	if _, err := os.Stat("langgraph/package.json"); err != nil {
		return fmt.Errorf("looking for the script, which needs docs/performance as working directory: %w", err)
	}

	if *asServer {
		return compareServers(ctx, *rounds, out, log)
	}
	javascript, stop := langGraph(ctx, "langgraph", log)
	engines := []engine{
		goEngine("floor", "", floor()),
		goEngine("assay", "", assay()),
		goEngine("eino", moduleVersion("github.com/cloudwego/eino"), eino()),
		javascript,
	}
	cells, err := compare(ctx, rows, engines, *rounds, 300*time.Millisecond, func(round int, w workload) {
		if round == 0 {
			fmt.Fprintf(log, "warming up: %s\n", w.name)
			return
		}
		fmt.Fprintf(log, "round %d of %d: %s\n", round, *rounds, w.name)
	})
	if stopped := stop(); err == nil && stopped != nil {
		err = fmt.Errorf("ending node: %w", stopped)
	}
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(out, rows, engines, cells, *rounds)
	}
	fmt.Fprintf(out, "%s. Medians of %d rounds (least–greatest).\n\n%s", versions(engines), *rounds, markdown(rows, engines, cells))
	return nil
}

// versions is a line on what was measured where.
func versions(engines []engine) string {
	parts := []string{fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version())}
	for _, e := range engines {
		if e.version != "" {
			parts = append(parts, e.name+" "+e.version)
		}
	}
	return strings.Join(parts, ", ")
}

// moduleVersion is that of a library in this program.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == path {
			return dep.Version
		}
	}
	return ""
}

func printJSON(out io.Writer, rows []workload, engines []engine, cells [][]cell, rounds int) error {
	type figure struct {
		Workload string `json:"workload"`
		Title    string `json:"title"`
		Engine   string `json:"engine"`
		cell
	}
	report := struct {
		Versions string   `json:"versions"`
		Rounds   int      `json:"rounds"`
		Unit     string   `json:"unit"`
		Figures  []figure `json:"figures"`
	}{Versions: versions(engines), Rounds: rounds, Unit: "ns"}
	for i, w := range rows {
		for j, e := range engines {
			report.Figures = append(report.Figures, figure{w.name, w.title, e.name, cells[i][j]})
		}
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}
