package llm

// A relay passes what several calls of a model stream on as one text: when a
// call streams and an earlier one has, too, its first chunk says Again. A
// relay to nobody does nothing. It is used by the goroutine that makes the
// calls, one after the other.
type relay struct {
	to    func(Chunk)
	shown bool // the listener holds text of the current call
	void  bool // the listener holds text of an earlier call
}

// next begins a call and returns its OnText; nil when nobody listens.
func (r *relay) next() func(Chunk) {
	if r.to == nil {
		return nil
	}
	r.shown, r.void = false, r.shown || r.void
	return func(c Chunk) {
		if c.Text == "" && !c.Again {
			return
		}
		c.Again = c.Again || r.void
		r.shown, r.void = true, false
		r.to(c)
	}
}

// settle ends a call that was answered with text: where the call streamed
// nothing, text takes the place of what an earlier one streamed.
func (r *relay) settle(text string) {
	if r.to != nil && r.void {
		r.shown, r.void = true, false
		r.to(Chunk{Text: text, Again: true})
	}
}

// finish is settle, and gives the listener the text also when no call
// streamed anything.
func (r *relay) finish(text string) {
	if r.to != nil && !r.shown && text != "" {
		r.to(Chunk{Text: text, Again: r.void})
		r.shown, r.void = true, false
	}
}
