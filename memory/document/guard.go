package document

import (
	"context"
	"fmt"
	"io"
)

// A stopped unwinds a parser once its context has ended.
type stopped struct{ err error }

// A watch stops a parser when its context ends. Asking it is cheap: it looks at the
// context only once in many calls.
type watch struct {
	ended func() error // the context's Err
	asked int
}

// step panics with a stopped, which guard turns into the context's error.
func (w *watch) step() {
	if w.asked++; w.asked%64 == 0 {
		w.now()
	}
}

// now is step without waiting for the next interval.
func (w *watch) now() {
	if err := w.ended(); err != nil {
		panic(stopped{err})
	}
}

// readerFailed begins the error for a panic.
const readerFailed = "it cannot be read: its reader failed: "

// guard runs a reader of an untrusted file. A panic in it, ours or a library's, becomes an error of
// this file. A reader stopped by its context returns the context's error.
func guard(path string, read func() error) (err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case stopped:
			err = fault.err
		default:
			err = &InputError{Path: path, Msg: readerFailed + fmt.Sprint(fault), Hint: "convert it to another format, and report the fault"}
		}
	}()
	return read()
}

// A stopReader looks at its watch with every read. It returns little at a time, so that
// its caller stops soon.
type stopReader struct {
	watch
	r io.Reader
}

func stoppable(ctx context.Context, r io.Reader) io.Reader {
	return &stopReader{watch{ended: ctx.Err}, r}
}

func (s *stopReader) Read(p []byte) (int, error) {
	s.now()
	return s.r.Read(p[:min(len(p), 1<<16)])
}
