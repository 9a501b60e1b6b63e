package llmtest

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"time"
)

// A Reply is an answer in its provider's format.
type Reply struct {
	Type   string   // the content type
	Pieces [][]byte // the events of a stream, or the one answer
}

func (r Reply) streamed() bool { return r.Type == "text/event-stream" }

// A Fault is how a loopback server fails instead of sending its reply. It has no state, so it can
// be used many times.
type Fault func(w http.ResponseWriter, reply Reply)

// Times returns a fault for n requests: see Server.Fail.
func Times(n int, f Fault) []Fault {
	out := make([]Fault, n)
	for i := range out {
		out[i] = f
	}
	return out
}

// Refuse answers with a status, and with the header Retry-After unless it is empty. Its error names
// the messages, so no client suspects another field.
func Refuse(status int, retryAfter string) Fault {
	return func(w http.ResponseWriter, _ Reply) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		refuse(w, status, "fault", "messages")
	}
}

// Reset sends half of the reply and resets the connection.
func Reset(w http.ResponseWriter, reply Reply) {
	whole := bytes.Join(reply.Pieces, nil)
	w.Header().Set("Content-Type", reply.Type)
	_, _ = w.Write(whole[:len(whole)/2])
	_ = http.NewResponseController(w).Flush()
	time.Sleep(time.Millisecond) // a reset may overtake sent data
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err) // this server speaks HTTP/1.1
	}
	_ = conn.(*net.TCPConn).SetLinger(0) // reset the connection instead of closing it
	_ = conn.Close()
}

// Cut sends half of the reply and closes the connection normally, as if it were all.
func Cut(w http.ResponseWriter, reply Reply) {
	whole := bytes.Join(reply.Pieces, nil)
	w.Header().Set("Content-Type", reply.Type)
	_, _ = w.Write(whole[:len(whole)/2])
}

// after sends this many pieces of the reply and closes the connection normally.
func after(pieces int) Fault {
	return func(w http.ResponseWriter, reply Reply) {
		w.Header().Set("Content-Type", reply.Type)
		_, _ = w.Write(bytes.Join(reply.Pieces[:pieces], nil))
	}
}

// Malformed sends text that is not JSON, in a stream after the first event.
func Malformed(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", reply.Type)
	if reply.streamed() {
		_, _ = w.Write(reply.Pieces[0])
		_, _ = io.WriteString(w, "data: {]\n\n")
		return
	}
	_, _ = io.WriteString(w, "{]")
}

// Loris sends the reply one byte every 10 ms.
func Loris(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", reply.Type)
	whole := bytes.Join(reply.Pieces, nil)
	for i := range whole {
		if _, err := w.Write(whole[i : i+1]); err != nil {
			return // the client gave up
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Endless sends up to 100 MB, in a stream as one event.
func Endless(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", reply.Type)
	if reply.streamed() {
		_, _ = io.WriteString(w, "data: ")
	}
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 100 {
		if _, err := w.Write(chunk); err != nil {
			return // the client gave up
		}
	}
}
