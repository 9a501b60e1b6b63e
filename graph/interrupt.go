package graph

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrNoCheckpointer reports that a run needs a checkpointer and has none.
	ErrNoCheckpointer = errors.New("no checkpointer: set CompileOptions.Checkpointer and RunOptions.Thread")
	// ErrNoThread reports a run with a checkpointer but without a thread.
	ErrNoThread = errors.New("no thread: set RunOptions.Thread, which says where the run is saved")
	// ErrAnswer reports an answer to an interrupt that is not pending, or an answer without an ID
	// when several interrupts are pending.
	ErrAnswer = errors.New("answer fits no interrupt")

	// ErrInterruptIgnored reports a node that called Interrupt and did not return its error.
	ErrInterruptIgnored = errors.New("interrupt ignored")

	// errWaiting is in the chain of an interrupt's error.
	errWaiting = errors.New("waiting for an answer")
)

// A PendingInterrupt is an interrupt without an answer.
type PendingInterrupt struct {
	// ID is 32 hexadecimal digits, and differs between threads and between
	// forks. It stays when the node runs again. ReplyTo takes it.
	ID        string          `json:"id"`
	Namespace string          `json:"ns,omitempty"` // outer nodes, joined by "/"
	Node      string          `json:"node"`
	Key       string          `json:"key"`
	Payload   json.RawMessage `json:"payload"`
	// Problem is why the previous answer was refused, if there was one.
	Problem string `json:"problem,omitempty"`
}

// A question is a PendingInterrupt in a task and in its records.
type question struct {
	PendingInterrupt
	// Place identifies the question in its thread. Older records lack it, and
	// the ID stands for it.
	Place  string `json:"place,omitempty"`
	prefix string // of the subgraph that asks; empty for the node itself
}

func readQuestions(data []byte) (list []question, err error) {
	err = decodeInto(data, &list)
	for i := range list {
		list[i].Place = cmp.Or(list[i].Place, list[i].ID)
	}
	return list, err
}

// asked returns questions for readers.
func asked(list []question) []PendingInterrupt {
	var out []PendingInterrupt
	for i := range list {
		out = append(out, list[i].PendingInterrupt)
	}
	return out
}

// Interrupt asks a question outside the run, and returns the answer. The first
// call returns an error that the node must return; the run then ends with an
// *InterruptedError that has the payload. A resumed run with an Answer runs the
// node again from its top, and Interrupt returns the answer. Use Once for side
// effects before it.
//
// The key identifies the interrupt within its node. Repeated keys, as in a loop
// until the answer is good, are numbered. Several goroutines need different keys
// (OverlapError). A node can ask several questions at
// once: it calls Interrupt for each and returns the joined errors
// (errors.Join). An answer that does not fit T is refused, and the interrupt is
// pending again with a Problem.
//
// Without a checkpointer it returns ErrNoCheckpointer.
func Interrupt[T, P any](ctx context.Context, key string, payload P) (T, error) {
	var answer T
	problem := ""
	t := taskFrom(ctx)
	if t == nil {
		return answer, fmt.Errorf("interrupting for %q: %w", key, ErrNoCheckpointer)
	}
	j, prefix := t.nearestJournal()
	if j == nil {
		return answer, fmt.Errorf("interrupting node %q for %q: %w", t.name(), key, ErrNoCheckpointer)
	}
	scope := prefix + t.onceScope(ctx)
	numbered, err := j.use(t, "Interrupt", scope, key, goroutine())
	if err != nil {
		return answer, err
	}
	place := hashOf(j.identity(), scope+numbered)
	if data, ok := t.run.pos.answers[place]; ok {
		err := decodeInto(data, &answer)
		if err == nil {
			return answer, nil
		}
		var zero T
		answer, problem = zero, fmt.Sprintf("the answer is not of type %T: %v", answer, err)
	}
	data, err := encode(&payload)
	if err != nil {
		return answer, fmt.Errorf("encoding the payload of interrupt %q: %w", key, err)
	}
	j.addQuestions(prefix, question{PendingInterrupt{j.interruptID(place), t.path(), t.name(), key, data, problem}, place, ""})
	return answer, fmt.Errorf("interrupt %q of node %q: %w", key, t.name(), errWaiting)
}

// IsInterrupt reports whether err's chain has an Interrupt without an answer.
// Code that turns errors into values must pass this one on: the node has to
// return it.
func IsInterrupt(err error) bool { return errors.Is(err, errWaiting) }

// interruptID returns the ID of the interrupt at a place: the recorded one, if
// the task asked there before. The thread and the run that made the checkpoint
// before the task tell it from those of all other threads.
func (j *journal) interruptID(place string) string {
	if data, ok := j.recall(RecordInterrupt, ""); ok {
		before, _ := readQuestions(data) // State reports an error
		if at := slices.IndexFunc(before, func(q question) bool { return q.Place == place }); at >= 0 {
			return before[at].ID
		}
	}
	return hashOf(j.task.run.pos.ledger.thread, j.madeBy, place)
}

// hashOf returns 32 hexadecimal digits for these parts.
func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:16])
}

// An Answer answers an interrupt in Resume.
type Answer struct {
	id   string
	data json.RawMessage
	err  error
}

// Reply answers the only pending interrupt. With several it is refused.
func Reply[T any](value T) Answer { return ReplyTo("", value) }

// ReplyTo answers the interrupt with this ID.
func ReplyTo[T any](id string, value T) Answer {
	data, err := encode(&value)
	return Answer{id: id, data: data, err: err}
}

// InterruptedError reports a run that stopped for answers or at a breakpoint.
// It is not a failure: Resume continues the thread, with Answers to pending
// interrupts.
type InterruptedError struct {
	Pending []PendingInterrupt // in task order; none at a breakpoint
	Next    []string           // the nodes that Resume runs, as in StateSnapshot
	Thread  string             // empty when the run is not saved
}

func (e *InterruptedError) Error() string {
	if len(e.Pending) == 0 {
		return fmt.Sprintf("run%s stopped at a breakpoint, with %s still to run", ofThread(" of", e.Thread), orNone(e.Next))
	}
	keys := make([]string, len(e.Pending))
	for i, p := range e.Pending {
		keys[i] = fmt.Sprintf("%q of node %q", p.Key, p.Node)
	}
	return fmt.Sprintf("run%s interrupted, waiting for %s", ofThread(" of", e.Thread), orNone(keys))
}

// Is puts errWaiting into the chain.
func (e *InterruptedError) Is(target error) bool { return target == errWaiting }

// path returns the task's namespace in events: its outer nodes.
func (t *task) path() string {
	path := ""
	for o := t.run.outer; o != nil; o = o.run.outer {
		path = joinPath(o.name(), path)
	}
	return path
}

// answerRecords makes records of answers to pending interrupts.
func (l *ledger) answerRecords(answers []Answer, pending []question) ([]Record, error) {
	places, answered := map[string]string{}, map[string]bool{}
	for _, p := range pending {
		places[p.ID] = p.Place
	}
	var records []Record
	for _, a := range answers {
		if a.err != nil {
			return nil, fmt.Errorf("encoding an answer: %w", a.err)
		}
		id := a.id
		if id == "" && len(pending) == 1 && len(answers) == 1 {
			id = pending[0].ID
		}
		switch {
		case answered[id]:
			return nil, fmt.Errorf("%w: interrupt %q is answered twice", ErrAnswer, id)
		case len(pending) == 0:
			return nil, fmt.Errorf("%w: nothing is pending on thread %q", ErrAnswer, l.thread)
		case places[id] == "":
			which := fmt.Sprintf("no interrupt %q is pending", id)
			if id == "" {
				which = "it does not name its interrupt"
			}
			ids := make([]string, len(pending))
			for i, p := range pending {
				ids[i] = fmt.Sprintf("%s (%q of node %q)", p.ID, p.Key, p.Node)
			}
			return nil, fmt.Errorf("%w: %s; pending on thread %q: %s", ErrAnswer, which, l.thread, orNone(ids))
		}
		answered[id] = true
		records = append(records, Record{Namespace: l.namespace, Checkpoint: l.id, Kind: RecordAnswer, Key: places[id], Data: a.data})
	}
	return records, nil
}
