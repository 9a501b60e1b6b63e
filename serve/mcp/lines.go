package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds the bytes of a message.
const maxLine = 16 << 20

// Codes of JSON-RPC's errors.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// lines passes a client's messages on to a reader, one per line. It answers a line that is not a
// message with an error, since the reader would end at it. The messages of a batch are passed one by
// one, and are answered so.
type lines struct {
	from io.ReadCloser
	in   *bufio.Reader
	out  *shared
	left []byte // checked, not yet read
}

func newLines(in io.ReadCloser, out *shared) *lines {
	return &lines{from: in, in: bufio.NewReader(in), out: out}
}

func (l *lines) Close() error { return l.from.Close() }

func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, whole, err := l.next()
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			return 0, err
		}
		if !whole {
			err = l.refuse(nil, invalidRequest, "the message is too long")
		} else {
			err = l.check(bytes.TrimSpace(line))
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// next reads a line. It is not whole if it is too long; the rest of it is dropped.
func (l *lines) next() (line []byte, whole bool, err error) {
	for whole = true; ; {
		var part []byte
		part, err = l.in.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			whole = false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// check keeps the messages of a line, and answers what is not one.
func (l *lines) check(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) {
		return l.refuse(nil, parseError, "the line is not JSON: a message is one JSON object on one line")
	}
	list := []json.RawMessage{line}
	if line[0] == '[' && (json.Unmarshal(line, &list) != nil || len(list) == 0) {
		return l.refuse(nil, invalidRequest, "the batch is empty")
	}
	for _, one := range list {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			var in struct {
				ID json.RawMessage `json:"id"`
			}
			_ = json.Unmarshal(one, &in) // else it has no ID
			if err := l.refuse(in.ID, invalidRequest, "this is not a message of JSON-RPC 2.0"); err != nil {
				return err
			}
			continue
		}
		l.left = append(append(l.left, one...), '\n')
	}
	return nil
}

func (l *lines) refuse(id json.RawMessage, code int, text string) error {
	if len(id) == 0 || id[0] != '"' && (id[0] < '0' || id[0] > '9') {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(data, '\n'))
	return err
}

// shared is a writer for several goroutines. Each call writes whole lines.
type shared struct {
	mu sync.Mutex
	io.WriteCloser
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WriteCloser.Write(p)
}
