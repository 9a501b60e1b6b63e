package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoCheckpointer is a run that needs a checkpointer and has none.
	ErrNoCheckpointer = errors.New("no checkpointer: set CompileOptions.Checkpointer and RunOptions.Thread")
	// ErrNoThread is a run of a graph with a checkpointer that names no thread.
	ErrNoThread = errors.New("no thread: set RunOptions.Thread, which says where the run is saved")
	// ErrAnswer is an answer that no interrupt waits for, or that does not say
	// which one it is for.
	ErrAnswer = errors.New("answer fits no interrupt")

	// ErrInterruptIgnored is a node that asked and did not wait for the answer.
	ErrInterruptIgnored = errors.New("interrupt ignored")

	// errWaiting is in the chain of what stops a node to ask somebody.
	errWaiting = errors.New("waiting for an answer")
)

// A PendingInterrupt is a question that a run has stopped for.
type PendingInterrupt struct {
	// ID is 32 hexadecimal digits. ReplyTo takes it.
	ID        string          `json:"id"`
	Namespace string          `json:"ns,omitempty"` // nodes whose subgraphs enclose the node, joined by "/"
	Node      string          `json:"node"`
	Key       string          `json:"key"`
	Payload   json.RawMessage `json:"payload"`
	// Problem is what was wrong with the answer before, if there was one.
	Problem string `json:"problem,omitempty"`
}

// Interrupt asks somebody outside of the run, and returns the answer. The
// first time there is none: the error stops the node, which must return it, and
// the run ends with an *InterruptedError that has the payload. When the run is
// resumed with an Answer the node runs again from its top, and Interrupt
// returns the answer. What must not happen twice before that belongs into Once.
//
// The key tells the interrupts of one node apart; a key that is used again, as
// in a loop that asks until the answer is good, is numbered. A node that calls
// several before it returns their errors (errors.Join) asks all at once. An
// answer that T cannot hold is refused: the interrupt is pending again, with
// the reason in Problem.
//
// It needs a checkpointer: ErrNoCheckpointer.
func Interrupt[T, P any](ctx context.Context, key string, payload P) (T, error) {
	var answer T
	t := taskFrom(ctx)
	if t == nil {
		return answer, fmt.Errorf("interrupting for %q: %w", key, ErrNoCheckpointer)
	}
	j, prefix := t.nearestJournal()
	if j == nil {
		return answer, fmt.Errorf("interrupting node %q for %q: %w", t.name(), key, ErrNoCheckpointer)
	}
	scope := prefix + t.onceScope(ctx)
	place := scope + j.use(scope, key)
	pending := PendingInterrupt{ID: interruptID(j.identity(), place), Namespace: t.path(), Node: t.name(), Key: key}
	if data, ok := t.run.answers[pending.ID]; ok {
		err := decodeInto(data, &answer)
		if err == nil {
			return answer, nil
		}
		var zero T
		answer, pending.Problem = zero, fmt.Sprintf("the answer is no %T: %v", answer, err)
	}
	data, err := encode(&payload)
	if err != nil {
		return answer, fmt.Errorf("encoding the payload of interrupt %q: %w", key, err)
	}
	pending.Payload = data
	j.addQuestions(prefix, []PendingInterrupt{pending})
	return answer, fmt.Errorf("interrupt %q of node %q: %w", key, t.name(), errWaiting)
}

// IsInterrupt reports whether err, or one in its chain, is that of an
// Interrupt that has no answer yet. Code that turns a function's errors into
// values must let it pass: the node has to return it.
func IsInterrupt(err error) bool { return errors.Is(err, errWaiting) }

func interruptID(task, place string) string {
	sum := sha256.Sum256([]byte(task + "\n" + place))
	return hex.EncodeToString(sum[:16])
}

// An Answer resumes an interrupted run.
type Answer struct {
	id   string
	data json.RawMessage
	err  error
}

// Reply answers the interrupt that is pending. When several are it is refused,
// since it does not say which.
func Reply[T any](value T) Answer { return ReplyTo("", value) }

// ReplyTo answers the interrupt with this ID.
func ReplyTo[T any](id string, value T) Answer {
	data, err := encode(&value)
	return Answer{id: id, data: data, err: err}
}

// InterruptedError is a run that stopped to ask, or at a breakpoint. It is no
// failure: with the same thread and, if something is pending, an Answer, the
// run goes on.
type InterruptedError struct {
	Pending []PendingInterrupt // in the order of their tasks; none at a breakpoint
	Next    []string           // the nodes that run when it is resumed
}

func (e *InterruptedError) Error() string {
	if len(e.Pending) == 0 {
		return fmt.Sprintf("run stopped at a breakpoint, with %s still to run", orNone(e.Next))
	}
	keys := make([]string, len(e.Pending))
	for i, p := range e.Pending {
		keys[i] = fmt.Sprintf("%q of node %q", p.Key, p.Node)
	}
	return "run interrupted, waiting for " + strings.Join(keys, ", ")
}

// Is reports errWaiting as being in the chain.
func (e *InterruptedError) Is(target error) bool { return target == errWaiting }

// path is the namespace of the task in events: the nodes around it.
func (t *task) path() string {
	path := ""
	for o := t.run.outer; o != nil; o = o.run.outer {
		path = joinPath(o.name(), path)
	}
	return path
}

// answerRecords makes records of answers to what is pending.
func (l *ledger) answerRecords(answers []Answer, pending []PendingInterrupt) ([]Record, error) {
	known, answered := map[string]bool{}, map[string]bool{}
	for _, p := range pending {
		known[p.ID] = true
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
		case !known[id]:
			which := fmt.Sprintf("no interrupt %q is pending", id)
			if id == "" {
				which = "it names no interrupt, and should"
			}
			ids := make([]string, len(pending))
			for i, p := range pending {
				ids[i] = fmt.Sprintf("%s (%q of node %q)", p.ID, p.Key, p.Node)
			}
			return nil, fmt.Errorf("%w: %s; pending on thread %q: %s", ErrAnswer, which, l.thread, strings.Join(ids, ", "))
		}
		answered[id] = true
		records = append(records, Record{Namespace: l.namespace, Checkpoint: l.id, Kind: RecordAnswer, Key: id, Data: a.data})
	}
	return records, nil
}
