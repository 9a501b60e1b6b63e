package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"example.com/assay/graph"
	"example.com/assay/internal/plainjson"
)

// Version is the format's version, in every line.
const Version = 1

// A Record is one line of a trace. Kind is the kind of the graph's event, or the name of a custom
// event, such as "model_call".
type Record struct {
	V           int                      `json:"v"`
	Seq         int                      `json:"seq"` // 0, 1, 2 … in the order of the events
	Kind        string                   `json:"kind"`
	Time        string                   `json:"time,omitempty"`       // RFC 3339, UTC
	ElapsedUS   int64                    `json:"elapsed_us,omitempty"` // duration of the node or run that ended, in microseconds
	Namespace   string                   `json:"ns,omitempty"`         // nodes whose subgraphs enclose the event
	Places      []graph.Place            `json:"at"`                   // superstep and task in each graph, outermost first
	Node        string                   `json:"node,omitempty"`
	Attempt     int                      `json:"attempt,omitempty"` // from 2 on
	Header      *Header                  `json:"header,omitempty"`  // in the first run_start
	Graph       string                   `json:"graph,omitempty"`
	Fingerprint string                   `json:"fingerprint,omitempty"`
	Nodes       []string                 `json:"nodes,omitempty"`
	Waiting     []string                 `json:"waiting,omitempty"`
	Update      json.RawMessage          `json:"update,omitempty"`   // in a node_update
	Cached      bool                     `json:"cached,omitempty"`   // the update comes from the node's cache
	Replayed    bool                     `json:"replayed,omitempty"` // taken from an earlier trace
	Key         string                   `json:"key,omitempty"`      // in a step: the key of Once
	Data        json.RawMessage          `json:"data,omitempty"`     // in a custom event; in a step, the result of Once
	Interrupts  []graph.PendingInterrupt `json:"interrupts,omitempty"`
	Checkpoint  string                   `json:"checkpoint,omitempty"` // in a checkpoint: its ID
	Parent      string                   `json:"parent,omitempty"`
	Source      string                   `json:"source,omitempty"`
	Error       string                   `json:"error,omitempty"`
	End         json.RawMessage          `json:"end,omitempty"` // in the last line: how the run ended, in the form of its pipeline
}

// A Header says what ran, and with which settings.
type Header struct {
	RunID  string            `json:"run_id,omitempty"`
	Config map[string]string `json:"config,omitempty"`
	Skills map[string]string `json:"skills,omitempty"` // name to content hash
	Input  json.RawMessage   `json:"input,omitempty"`
}

// A Writer writes records to one trace. It is for one run at a time.
type Writer struct {
	to     io.Writer
	header *Header
	end    json.RawMessage
	seq    int
}

// NewWriter starts a trace. The header goes into the run's first line.
func NewWriter(to io.Writer, header Header) *Writer { return &Writer{to: to, header: &header} }

// SetEnd sets the run's end, in JSON. It is written with the run's last line.
func (w *Writer) SetEnd(end json.RawMessage) { w.end = end }

// Add writes an event. It leaves out states, which follow from the updates, and tokens, since the
// event of a model's call has the whole text.
func Add[S any](w *Writer, ev graph.Event[S]) error {
	if ev.Kind == graph.StateValue || ev.Kind == graph.NodeToken {
		return nil
	}
	in := graph.EventRecord{
		Kind: ev.Kind.String(), Namespace: ev.Namespace, Places: ev.Places, Node: ev.Node, Attempt: ev.Attempt, Time: ev.Time, Elapsed: ev.Elapsed,
		Graph: ev.Graph, Fingerprint: ev.Fingerprint, Nodes: ev.Nodes, Waiting: ev.Waiting, Cached: ev.Cached, Replayed: ev.Replayed, Name: ev.Name,
		Interrupts: ev.Interrupts, Checkpoint: ev.Checkpoint, Parent: ev.Parent, Source: ev.Source, Data: ev.Data,
	}
	if ev.Err != nil {
		in.Error = ev.Err.Error()
	}
	if ev.Kind == graph.NodeUpdate {
		var err error
		if in.Update, err = ev.UpdateJSON(); err != nil {
			return fmt.Errorf("tracing node %q: %w", ev.Node, err)
		}
	}
	rec := Of(in)
	rec.Seq = w.seq
	switch {
	case ev.Kind == graph.RunStart:
		rec.Header, w.header = w.header, nil
	case ev.Kind == graph.RunEnd && ev.Namespace == "":
		rec.End = w.end
	}
	line, err := encode(rec)
	if err != nil {
		return fmt.Errorf("tracing event %d: %w", w.seq, err)
	}
	if _, err := w.to.Write(line); err != nil {
		return fmt.Errorf("writing trace: %w", err)
	}
	w.seq++
	return nil
}

// Of returns an event as a record, without a number, a header or the run's end.
func Of(ev graph.EventRecord) Record {
	rec := Record{
		V: Version, Kind: ev.Kind, Time: ev.Time.UTC().Format(time.RFC3339Nano), ElapsedUS: ev.Elapsed.Microseconds(),
		Namespace: ev.Namespace, Places: ev.Places, Node: ev.Node, Graph: ev.Graph, Fingerprint: ev.Fingerprint,
		Nodes: ev.Nodes, Waiting: ev.Waiting, Interrupts: ev.Interrupts, Cached: ev.Cached, Replayed: ev.Replayed,
		Checkpoint: ev.Checkpoint, Parent: ev.Parent, Source: string(ev.Source), Error: ev.Error,
	}
	if ev.Attempt > 1 {
		rec.Attempt = ev.Attempt
	}
	switch graph.KindNamed(ev.Kind) {
	case graph.NodeCustom:
		rec.Kind, rec.Data = ev.Name, ev.Data
	case graph.NodeStep:
		rec.Key, rec.Data = ev.Name, ev.Data
	case graph.NodeUpdate:
		if rec.Update = ev.Update; rec.Update == nil { // a subgraph's update is in Data
			rec.Update = ev.Data
		}
	}
	return rec
}

// encode is a record's line.
func encode(rec Record) ([]byte, error) {
	line, err := plainjson.Encode(rec)
	return append(line, '\n'), err
}

// Write writes records as they are, one a line.
func Write(to io.Writer, records []Record) error {
	for _, rec := range records {
		line, err := encode(rec)
		if err != nil {
			return fmt.Errorf("encoding record %d: %w", rec.Seq, err)
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// maxLine bounds a line of a trace, 64 MiB.
const maxLine = 64 << 20

// Read reads a trace. Empty lines and lines that begin with # are skipped, so
// that a golden trace can say in prose what it protects. Errors name the line.
func Read(from io.Reader) ([]Record, error) {
	var records []Record
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return records, fmt.Errorf("reading trace, line %d: %w", n, err)
		}
		if rec.V != Version {
			return records, fmt.Errorf("reading trace, line %d: version is %d, this program reads %d", n, rec.V, Version)
		}
		if rec.Kind == "" {
			return records, fmt.Errorf("reading trace, line %d: no kind: not a trace", n)
		}
		records = append(records, rec)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return records, fmt.Errorf("reading trace, line %d: longer than %d bytes", n+1, maxLine)
	} else if err != nil {
		return records, fmt.Errorf("reading trace: %w", err)
	}
	return records, nil
}
