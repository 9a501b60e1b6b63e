package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
)

// EachLine does something with each line that a person types or a pipe brings, until
// the end of the input. An error of one line is a warning, and from a pipe makes the
// exit code that of a failure.
func EachLine(ctx context.Context, a *cli.App, home string, do func(ctx context.Context, line string) error) (err error) {
	lines := newLineReader(a, filepath.Join(home, "history"))
	defer func() { err = cli.Also(err, lines.close()) }()
	failed, err := eachLine(ctx, a, lines, func(ctx context.Context, line string) (bool, error) { return false, do(ctx, line) })
	if err == nil && failed && !interactive(a) {
		return cli.Silent(cli.ExitFailed)
	}
	return err
}

// interactive reports whether a person types and reads.
func interactive(a *cli.App) bool { return cli.IsTerminal(a.Stdin) && a.Stdout.TTY }

// eachLine reports whether a line failed. Its error ends the input.
func eachLine(ctx context.Context, a *cli.App, lines lineReader, do func(ctx context.Context, line string) (quit bool, err error)) (failed bool, _ error) {
	for {
		line, err := awaitLine(ctx, lines)
		switch {
		case errors.Is(err, io.EOF):
			if interactive(a) {
				fmt.Fprintln(a.Stdout)
			}
			return failed, nil
		case errors.Is(err, errAborted):
			continue
		case err != nil:
			return failed, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines.remember(line)
		quit, err := do(ctx, line)
		if ctx.Err() != nil {
			return failed, context.Cause(ctx)
		}
		if err != nil {
			failed = true
			a.Warn("%v", err)
		}
		if quit {
			return failed, nil
		}
	}
}
