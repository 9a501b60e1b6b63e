package graph

// visible is the state as the caller sees it.
func (r *run) visible() any {
	return r.view(r.output)
}

// input is what a task runs on: the committed state, or what it was sent. It is
// for reading only.
func (r *run) input(res *result, n *node) any {
	switch {
	case res.sent != nil:
		return res.sent.state
	case n.opts.reads == nil:
		return r.now.shown
	}
	return r.part(n.opts.reads)
}

// view is the committed state for a reader: all of it when only is nil, else
// these channels.
func (r *run) view(only []channel) any {
	if only == nil {
		return r.now.shown
	}
	return r.part(only)
}

// part is a copy of the committed state with these channels only.
func (r *run) part(only []channel) any {
	s := r.typ.fresh()
	for _, ch := range only {
		ch.copyField(s, r.now.shown)
	}
	return s
}

func (r *run) wants(k EventKind) bool { return r.out != nil && r.out.wants(k) }

// publish sends an event of the run itself, placed at a position in its step.
func (r *run) publish(ev event, position int) {
	if !r.wants(ev.Kind) {
		return
	}
	ev.Step = r.step
	ev.Places = []Place{{r.step, position}}
	r.out.publish(ev)
}

// publishState reports the state after all tasks of a superstep.
func (r *run) publishState(position int) {
	if r.wants(StateValue) {
		r.publish(event{foreign: foreign{Kind: StateValue}, state: r.now.shown}, position)
	}
}
