package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxQuestion bounds a question, in bytes.
const MaxQuestion = 64 << 10

// StdinName is the name of standard input as a source.
const StdinName = "standard input"

// Question returns the question of a command line.
func (a *App) Question(ctx context.Context, args []string, example string) (string, error) {
	text := strings.Join(args, " ")
	if len(args) == 1 && args[0] == "-" {
		data, err := a.ReadStdin(ctx, MaxQuestion)
		if err != nil {
			return "", err
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	return text, CheckQuestion(text, example)
}

// CheckQuestion refuses an empty, too long or invalid question; the error shows example.
func CheckQuestion(text, example string) error {
	switch {
	case text == "":
		return Usagef("the question is empty; ask one: agent %s", example)
	case len(text) > MaxQuestion:
		return Usagef("the question is longer than %d bytes; put long texts into a corpus: agent ingest FILE", MaxQuestion)
	case !utf8.ValidString(text):
		return Usagef("the question is not valid UTF-8 at byte %d; convert it, for example with: iconv -f LATIN1 -t UTF-8", InvalidAt(text))
	}
	return nil
}

// InvalidAt returns the offset of the first byte that is not valid UTF-8.
func InvalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// ReadStdin reads at most limit+1 bytes: one byte above the limit shows that there are
// more. When the run is cancelled it returns, and the read stays blocked: nothing can end
// it.
func (a *App) ReadStdin(ctx context.Context, limit int64) ([]byte, error) {
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(a.Stdin, limit+1))
		read <- input{data, err}
	}()
	select {
	case in := <-read:
		if in.err != nil {
			return nil, fmt.Errorf("reading standard input: %w", in.err)
		}
		return in.data, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A TimeoutError is the cause of a context that --timeout cancelled.
type TimeoutError time.Duration

func (e TimeoutError) Error() string {
	return fmt.Sprintf("stopped after %v, as --timeout says", time.Duration(e))
}

// Within bounds a question: after d its context ends with a [TimeoutError]; 0 sets no
// bound.
func Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, TimeoutError(d))
}

func (e TimeoutError) Unwrap() error { return context.DeadlineExceeded }
