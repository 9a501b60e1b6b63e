package graph

// visible is the state as the caller sees it.
func (r *run[S]) visible() S {
	return r.view(r.output)
}

// input is what a task runs on: the committed state, or what it was sent. It is
// for reading only.
func (r *run[S]) input(res *result[S], n *node[S]) *S {
	switch {
	case res.sent != nil:
		return &res.sent.state
	case n.opts.Reads == nil:
		return &r.now.shown
	}
	own := r.part(n.opts.Reads)
	return &own
}

// view is the committed state for a reader: all of it when only is nil, else
// these channels.
func (r *run[S]) view(only []Channel[S]) S {
	if only == nil {
		return r.now.shown
	}
	return r.part(only)
}

// part is apart from view because its variables live on the heap.
func (r *run[S]) part(only []Channel[S]) S {
	var s S
	for _, ch := range only {
		ch.copyField(&s, &r.now.shown)
	}
	return s
}

func (r *run[S]) wants(k EventKind) bool { return r.out != nil && r.out.wants(k) }

// publish sends an event of the run itself, placed at a position in its step.
func (r *run[S]) publish(ev Event[S], position int) {
	if !r.wants(ev.Kind) {
		return
	}
	ev.Step = r.step
	ev.Places = []Place{{r.step, position}}
	r.out.send(ev)
}

// publishState reports the state after all tasks of a superstep.
func (r *run[S]) publishState(position int) {
	if r.wants(StateValue) {
		r.publish(Event[S]{Kind: StateValue, State: r.now.shown}, position)
	}
}
