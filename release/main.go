// Command release makes the files of a release, and checks that others can make the same files.
//
//	go run ./release -out dist
//	go run ./release -check dist
//
// It builds the command for each system, and packs it with its manual, its completions and the
// licences of all linked modules. It publishes and signs nothing. Equal source, Go and flags give
// equal bytes: all times are the commit's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// all are the systems of a release.
var all = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// errUsage is a mistake in the command line, which was reported.
var errUsage = errors.New("wrong usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// run executes one command line.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), `go run ./release -out dist      makes the files of a release
go run ./release -check dist    makes them again from a clone, and compares byte by byte

The version is that of the tag on the commit.`)
		flags.PrintDefaults()
	}
	out := flags.String("out", "", "write into this `DIR`, which must be new or empty")
	check := flags.String("check", "", "compare the files in this `DIR` with those of a clone of the commit")
	list := flags.String("systems", strings.Join(all, ","), "build for this `LIST` of systems")
	version := flags.String("version", "", "`VERSION` of a commit without a tag, such as v1.2.3")
	dirty := flags.Bool("dirty", false, "accept changes that are not committed, and mark the version with +dirty")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return errUsage
	}
	wanted := strings.Split(*list, ",")
	for _, s := range wanted {
		if !slices.Contains(all, s) {
			return fmt.Errorf("-systems has %q; known: %s", s, strings.Join(all, ", "))
		}
	}
	if flags.NArg() > 0 || (*out == "") == (*check == "") || *check != "" && *dirty {
		flags.Usage()
		return errUsage
	}
	src, err := find(ctx, *version, *dirty)
	if err != nil {
		return err
	}
	if *check != "" {
		return again(ctx, src, *check, wanted)
	}
	return src.release(ctx, *out, wanted)
}

// step reports a step on standard error.
func step(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
