package graph

import (
	"fmt"
	"reflect"
	"slices"
)

// ChannelKind says how a channel merges writes.
type ChannelKind uint8

const (
	KindLastValue ChannelKind = iota + 1 // keeps the last value; made by LastValue
	KindAppend                           // adds to a list; made by Append
	KindReduce                           // merges by a function; made by Reduce
	KindEphemeral                        // keeps a value for one superstep; made by Ephemeral
	KindUntracked                        // keeps the last value, in memory only; made by Untracked
	KindKeyed                            // a list whose elements have ids; made by Keyed
)

var channelKindNames = [...]string{"", "last_value", "append", "reduce", "ephemeral", "untracked", "keyed"}

// String returns the kind as drawings and traces write it, e.g. "last_value".
func (k ChannelKind) String() string { return nameOf(k, channelKindNames[:]) }

// nameOf is the name of a constant. Constants begin with 1.
func nameOf[T ~uint8](constant T, names []string) string {
	if constant > 0 && int(constant) < len(names) {
		return names[constant]
	}
	return fmt.Sprintf("%s(%d)", reflect.TypeFor[T]().Name(), uint8(constant))
}

// A Channel is a field of the state S with a rule for merging writes.
// LastValue, Append, Keyed, Reduce, Ephemeral and Untracked make channels. A field
// without a channel cannot be written.
type Channel[S any] interface {
	// Name is the channel's name in errors, traces and encoded updates. It is
	// unique in its graph.
	Name() string
	// Kind says how the channel merges writes.
	Kind() ChannelKind
	of(*S)
	untyped() channel
}

// A channel is a Channel without the type of its state. A state is a pointer in
// an interface.
type channel interface {
	id() *channelID
	fault(zero any) string // why the channel cannot be used; empty when it can
	copyField(dst, src any)
	reset(s any)
	encode(dst []byte, s any) ([]byte, error)
	encodeTail(dst []byte, s any, from int) ([]byte, error)
	length(s any) int
	equal(a, b any) bool
	unsavable() (where, why string) // a place that JSON does not bring back; empty for none
	decode(s any, data []byte) error
	decodeWrite(op Op, data []byte) (write, error)
	clip(s any)
	overwriteWith(s any) write
}

// copyFields copies the fields of some channels from one state to another.
func copyFields(dst, src any, channels []channel) {
	for _, ch := range channels {
		ch.copyField(dst, src)
	}
}

func hasChannel(list []channel, id *channelID) bool {
	return slices.ContainsFunc(list, func(ch channel) bool { return ch.id() == id })
}

// A channelID identifies a channel by its address. Two channels of one name are
// different, and Compile refuses them.
type channelID struct {
	name string
	kind ChannelKind
}

func (c *channelID) Name() string      { return c.name }
func (c *channelID) Kind() ChannelKind { return c.kind }
func (c *channelID) id() *channelID    { return c }

// Op is the effect of a write.
type Op uint8

const (
	OpSet       Op = iota + 1 // replaces a LastValue; two in a superstep are a conflict
	OpAdd                     // goes through the channel's reducer
	OpOverwrite               // replaces the value, and voids other writes of the superstep
	OpGoto                    // a Command that replaces the node's edges
	OpAlso                    // a Command that adds to the node's edges
	OpParent                  // ends the run with an update for the parent graph
	OpPut                     // adds or replaces elements of a Keyed channel
	OpRemove                  // removes elements of a Keyed channel by id
)

// String returns the operation as encoded updates write it: "set", "add",
// "overwrite", "goto", "also", "parent", "put" or "remove".
func (o Op) String() string { return nameOf(o, opNames[:]) }

// A Write changes one channel. A channel's methods (Set, Add, Overwrite) make
// it. It has no effect until a superstep commits. Commands and Parent are
// Writes too: they direct the run instead.
type Write[S any] interface {
	// Channel is the name of the written channel; a Command has none.
	Channel() string
	// Op is the write's effect.
	Op() Op
	of(*S)
	untyped() write
}

// A write is a Write without the type of its state.
type write interface {
	Channel() string
	Op() Op
	channel() *channelID // nil for a Command
	// apply changes a state. Its error is the panic of a function of the channel. See keyedField.put
	// for owned.
	apply(s any, owned *bool) *PanicError
	encode(dst []byte) ([]byte, error) // appends its value; nothing for an Untracked channel
	intact(data []byte) error          // checks that JSON brings all of the encoded value back
}

// An Update is a node's result: writes to channels and, where edges are not
// enough, Commands. A nil or empty update changes nothing.
type Update[S any] []Write[S]

// A field is a channel: its identity, its place in the state, and its reducer.
// Only the closure at knows the state's type.
type field[T any] struct {
	channelID
	at    func(s any) *T
	merge func(cur, upd T) T
	loose bool // values hold interfaces; see loose
}

func fieldOf[S, T any](name string, kind ChannelKind, at func(*S) *T, merge func(cur, upd T) T) field[T] {
	f := field[T]{channelID{name, kind}, nil, merge, loose(reflect.TypeFor[T](), nil)}
	if at != nil {
		f.at = func(s any) *T { return at(s.(*S)) }
	}
	return f
}

// fault tests the channel on the zero state.
func (f *field[T]) fault(zero any) (fault string) {
	switch {
	case f.name == "":
		return "a channel needs a name"
	case f.at == nil:
		return "its field function is nil"
	case f.merge == nil && f.kind == KindReduce:
		return "its merge function is nil"
	}
	const unusable = "its field function fails on the zero state: it must return the address of a field of the state itself"
	defer func() {
		if recover() != nil {
			fault = unusable
		}
	}()
	if f.at(zero) == nil {
		return unusable
	}
	return ""
}

func (f *field[T]) reset(s any) {
	var zero T
	*f.at(s) = zero
}

func (f *field[T]) encode(dst []byte, s any) ([]byte, error) { return f.appendWhole(dst, f.at(s)) }

func (f *field[T]) appendWhole(dst []byte, v *T) ([]byte, error) {
	dst, err := appendWhole(dst, v)
	if err == nil && f.loose {
		err = sameTypes(v)
	}
	return dst, err
}

// encodeTail and length are for lists.
func (f *field[T]) encodeTail(dst []byte, s any, _ int) ([]byte, error) { return f.encode(dst, s) }
func (f *field[T]) length(any) int                                      { return 0 }

func (f *field[T]) equal(a, b any) bool { return reflect.DeepEqual(f.at(a), f.at(b)) }

func (f *field[T]) unsavable() (where, why string) { return unsavable(reflect.TypeFor[T]()) }

func (f *field[T]) decode(s any, data []byte) error { return decodeWhole(data, f.at(s)) }

func (f *field[T]) decodeWrite(op Op, data []byte) (write, error) {
	w := &valueWrite[T]{to: f, op: op}
	if known := op == OpOverwrite || op == OpAdd && f.merge != nil || op == OpSet && f.merge == nil; !known {
		return nil, fmt.Errorf("channel %q, which is of kind %s, knows no %s", f.name, f.kind, op)
	}
	if err := decodeWhole(data, &w.val); err != nil {
		return nil, fmt.Errorf("decoding a write to channel %q: %w", f.name, err)
	}
	return w, nil
}

func (f *field[T]) copyField(dst, src any) { *f.at(dst) = *f.at(src) }

func (f *field[T]) clip(any) {}

func (f *field[T]) overwriteWith(s any) write {
	return &valueWrite[T]{to: f, val: *f.at(s), op: OpOverwrite}
}

// A valueWrite writes a value to a channel.
type valueWrite[T any] struct {
	to  *field[T]
	val T
	op  Op
}

func (w *valueWrite[T]) Channel() string     { return w.to.name }
func (w *valueWrite[T]) Op() Op              { return w.op }
func (w *valueWrite[T]) channel() *channelID { return &w.to.channelID }

func (w *valueWrite[T]) apply(s any, _ *bool) *PanicError {
	at := w.to.at(s)
	switch {
	case w.op != OpAdd:
		*at = w.val
	case w.to.kind == KindAppend:
		*at = w.to.merge(*at, w.val)
	default:
		return w.reduce(at)
	}
	return nil
}

// reduce calls the function of a Reduce channel.
func (w *valueWrite[T]) reduce(at *T) (panicked *PanicError) {
	defer func() {
		if v := recover(); v != nil {
			panicked = caught(v)
		}
	}()
	*at = w.to.merge(*at, w.val)
	return nil
}

func (w *valueWrite[T]) encode(dst []byte) ([]byte, error) {
	if w.to.kind == KindUntracked {
		return dst, nil
	}
	return appendJSON(dst, &w.val)
}

func (w *valueWrite[T]) intact(data []byte) error {
	if w.to.loose && len(data) > 0 { // else it is Untracked
		if err := sameTypes(&w.val); err != nil {
			return err
		}
	}
	return intact(data, &w.val)
}

// A stateWrite is a valueWrite to a channel of S.
type stateWrite[S, T any] struct{ plain valueWrite[T] }

func (w *stateWrite[S, T]) Channel() string { return w.plain.to.name }
func (w *stateWrite[S, T]) Op() Op          { return w.plain.op }
func (w *stateWrite[S, T]) of(*S)           {}
func (w *stateWrite[S, T]) untyped() write  { return &w.plain }

func writeTo[S, T any](to *field[T], op Op, v T) Write[S] {
	return &stateWrite[S, T]{valueWrite[T]{to, v, op}}
}

// A handle is a channel with values T in the state S. The channel is not
// embedded: its methods would then be compiled for each type of state.
type handle[S, T any] struct {
	plain channel
	to    *field[T]
}

func handleOf[S, T any](name string, kind ChannelKind, at func(*S) *T, merge func(cur, upd T) T) handle[S, T] {
	f := fieldOf(name, kind, at, merge)
	return handle[S, T]{&f, &f}
}

// Name returns the channel's name in errors, traces and encoded updates.
func (h handle[S, T]) Name() string { return h.to.name }

// Kind says how the channel merges writes.
func (h handle[S, T]) Kind() ChannelKind { return h.to.kind }

func (h handle[S, T]) of(*S)            {}
func (h handle[S, T]) untyped() channel { return h.plain }

// Overwrite replaces the value. Other writes to the channel in the same
// superstep are discarded. Two overwrites are a conflict.
func (h handle[S, T]) Overwrite(v T) Write[S] { return writeTo[S](h.to, OpOverwrite, v) }

// A settable is a handle of a channel without a reducer.
type settable[S, T any] struct{ handle[S, T] }

// Set writes v.
func (c settable[S, T]) Set(v T) Write[S] { return writeTo[S](c.to, OpSet, v) }

// LastValueChannel holds the last value written. Two writes in one superstep
// are a conflict, since only their order would decide.
type LastValueChannel[S, T any] struct{ settable[S, T] }

// LastValue makes a channel that keeps the last value written to a field.
func LastValue[S, T any](name string, at func(*S) *T) *LastValueChannel[S, T] {
	return &LastValueChannel[S, T]{settable[S, T]{handleOf(name, KindLastValue, at, nil)}}
}

// A listField is a list that writes add to.
type listField[E any] struct{ field[[]E] }

// clip removes the list's spare capacity, so that a node's append cannot write
// into the engine's array.
func (f *listField[E]) clip(s any) {
	at := f.at(s)
	*at = slices.Clip(*at)
}

func (f *listField[E]) encodeTail(dst []byte, s any, from int) ([]byte, error) {
	tail := (*f.at(s))[from:]
	return f.appendWhole(dst, &tail)
}

// unsavable also checks that the list's JSON can be extended.
func (f *listField[E]) unsavable() (where, why string) {
	if where, why = f.field.unsavable(); why != "" {
		return where, why
	}
	one := make([]E, 1)
	if data, err := encode(&one); err == nil {
		if _, err := elements(data); err != nil {
			return "", fmt.Sprintf("JSON writes a list of %s as %s, which cannot be extended", reflect.TypeFor[E](), data)
		}
	}
	return "", ""
}

func (f *listField[E]) length(s any) int { return len(*f.at(s)) }

// overwriteWith clips for the same reason as Overwrite.
func (f *listField[E]) overwriteWith(s any) write {
	return &valueWrite[[]E]{to: &f.field, val: slices.Clip(*f.at(s)), op: OpOverwrite}
}

// AppendChannel is a list that writes extend in task order.
type AppendChannel[S, E any] struct{ handle[S, []E] }

// Append makes a channel that appends to a list.
func Append[S, E any](name string, at func(*S) *[]E) *AppendChannel[S, E] {
	f := &listField[E]{fieldOf(name, KindAppend, at, appendAll[E])}
	return &AppendChannel[S, E]{handle[S, []E]{f, &f.field}}
}

// Add appends values. The write keeps the slice: a caller that passes one with
// "…" must not change it later.
func (c *AppendChannel[S, E]) Add(values ...E) Write[S] {
	return writeTo[S](c.to, OpAdd, values)
}

// Overwrite replaces the whole list, and discards what other nodes append in
// the same superstep. Two overwrites are a conflict. The write keeps a copy
// without spare capacity: two commits of one write must not share an array.
func (c *AppendChannel[S, E]) Overwrite(values []E) Write[S] {
	return writeTo[S](c.to, OpOverwrite, slices.Clip(slices.Clone(values)))
}

func appendAll[E any](cur, upd []E) []E { return append(cur, upd...) }

// ReduceChannel merges writes with a function in task order.
type ReduceChannel[S, T any] struct{ handle[S, T] }

// Reduce makes a channel whose value becomes merge(current, update) for every
// write. Earlier states share the current value: merge returns a new value and
// does not change cur.
func Reduce[S, T any](name string, at func(*S) *T, merge func(cur, upd T) T) *ReduceChannel[S, T] {
	return &ReduceChannel[S, T]{handleOf(name, KindReduce, at, merge)}
}

// Add merges v into the value.
func (c *ReduceChannel[S, T]) Add(v T) Write[S] { return writeTo[S](c.to, OpAdd, v) }
