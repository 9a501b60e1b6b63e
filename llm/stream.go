package llm

// A relay passes the streams of several calls on as one text: when a call streams after an earlier
// one has streamed, its first chunk has Again. A relay without a listener does nothing. Only the
// goroutine that makes the calls, one by one, uses it.
type relay struct {
	to    func(Chunk)
	shown bool // the listener holds text of the current call
	void  bool // the listener holds text of an earlier call
}

// silent is the relay without a listener. Nothing changes it.
var silent = &relay{}

// next begins a call and returns its OnText; nil without a listener.
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

// settle ends a call that was answered with text. If the call streamed nothing, text replaces the
// text of an earlier call.
func (r *relay) settle(text string) {
	if r.to != nil && r.void {
		r.shown, r.void = true, false
		r.to(Chunk{Text: text, Again: true})
	}
}

// finish is settle, but also gives the listener the text if no call streamed anything.
func (r *relay) finish(text string) {
	if r.to != nil && !r.shown && text != "" {
		r.to(Chunk{Text: text, Again: r.void})
		r.shown, r.void = true, false
	}
}
