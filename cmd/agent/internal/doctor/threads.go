package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph/checkpoint/sqlite"
)

// largeThreads is the size in bytes from which the doctor advises a sweep of the threads.
const largeThreads = 256 << 20

// checkThreads opens the file of threads, if there is one, and counts them.
func checkThreads(ctx context.Context, home string, large int64) finding {
	const check = "threads"
	file := open.ThreadsFile(home)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return finding{check, statusOK, "none saved yet", ""}
	}
	if err != nil {
		return finding{check, statusFail, err.Error(), "ls -l " + file}
	}
	if !info.Mode().IsRegular() {
		return finding{check, statusFail, file + " is not a regular file", "mv " + file + " " + file + ".old"}
	}
	n, err := countThreads(ctx, home)
	if err != nil {
		return finding{check, statusFail, err.Error(), fmt.Sprintf("if it is damaged: mv %s %s.old, which loses the saved runs", file, file)}
	}
	size := info.Size()
	if log, err := os.Stat(file + "-wal"); err == nil {
		size += log.Size()
	}
	detail := fmt.Sprintf("%s, %s in %s", cli.Count(n, "thread"), render.Size(size), file)
	if size >= large && n > 0 {
		return finding{check, statusWarn, detail, "agent threads sweep --older-than 720h; the file does not shrink, but its space is reused"}
	}
	return finding{check, statusOK, detail, ""}
}

func countThreads(ctx context.Context, home string) (n int, err error) {
	saver, err := sqlite.Open(ctx, open.ThreadsFile(home), nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = cli.Also(err, saver.Close()) }()
	for _, err := range saver.Threads(ctx) {
		if err != nil {
			return 0, fmt.Errorf("listing the threads: %w", err)
		}
		n++
	}
	return n, nil
}
