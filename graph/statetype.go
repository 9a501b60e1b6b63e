package graph

import (
	"fmt"
	"strings"
)

// A stateType holds the engine's operations on states. The engine is compiled
// once for all state types: a state is a pointer in an interface.
type stateType interface {
	fresh() any // a pointer to the zero state
	copyOf(state any) any
	copyTo(dst, src any)
	String() string // in errors
}

type typeOf[S any] struct{}

func (typeOf[S]) fresh() any          { return new(S) }
func (typeOf[S]) copyTo(dst, src any) { *dst.(*S) = *src.(*S) }
func (typeOf[S]) String() string      { return strings.TrimPrefix(fmt.Sprintf("%T", new(S)), "*") }

func (typeOf[S]) copyOf(state any) any {
	own := *state.(*S)
	return &own
}

// An update is an Update without the type of its state.
type update []write

// untyped appends the writes of an update.
func (u Update[S]) untyped(dst update) update {
	for _, w := range u {
		if w == nil {
			dst = append(dst, nil) // merge reports it
		} else {
			dst = append(dst, w.untyped())
		}
	}
	return dst
}

// A plainWrite makes a Write of a write.
type plainWrite[S any] struct{ plain write }

func (w plainWrite[S]) Channel() string { return w.plain.Channel() }
func (w plainWrite[S]) Op() Op          { return w.plain.Op() }
func (w plainWrite[S]) of(*S)           {}
func (w plainWrite[S]) untyped() write  { return w.plain }

func typed[S any](u update) Update[S] {
	if u == nil {
		return nil
	}
	out := make(Update[S], len(u))
	for i, w := range u {
		if w != nil {
			out[i] = plainWrite[S]{w}
		}
	}
	return out
}
