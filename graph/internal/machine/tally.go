package machine

// An Op is what a write does to its channel, as far as merging is concerned.
type Op uint8

const (
	Add       Op = iota // any number
	Set                 // at most one of a merge
	Overwrite           // at most one of a merge; it voids all other writes to the channel
)

// A Tally checks the writes of one merge before any of them is applied. Merges reuse it: counts of
// an earlier epoch are void.
type Tally struct {
	epoch   int
	crowded bool
	slots   []slot
	room    [8]slot
}

type slot struct {
	epoch      int
	sets       int32
	overwrites int32
	owned      bool
}

// Begin begins a merge of a graph with that many channels.
func (t *Tally) Begin(channels int) {
	if t.epoch++; len(t.slots) == channels {
		t.crowded = false
		return
	}
	if t.crowded, t.slots = false, t.room[:min(channels, len(t.room))]; channels > len(t.room) {
		t.slots = make([]slot, channels)
	}
}

// Count counts a write.
func (t *Tally) Count(channel int, op Op) {
	s := &t.slots[channel]
	if s.epoch != t.epoch {
		*s = slot{epoch: t.epoch}
	}
	switch op {
	case Set:
		s.sets++
	case Overwrite:
		s.overwrites++
	}
	t.crowded = t.crowded || s.sets > 1 || s.overwrites > 1
}

// Conflict returns the first channel with too many writes, and which. An overwrite voids sets.
func (t *Tally) Conflict() (channel int, op Op, found bool) {
	if !t.crowded {
		return 0, 0, false
	}
	for at := range t.slots {
		switch s := &t.slots[at]; {
		case s.epoch != t.epoch || s.overwrites == 1:
		case s.overwrites > 1:
			return at, Overwrite, true
		case s.sets > 1:
			return at, Set, true
		}
	}
	return 0, 0, false
}

// Counts reports whether a write that was counted is to be applied.
func (t *Tally) Counts(channel int, op Op) bool {
	return t.slots[channel].overwrites == 0 || op == Overwrite
}

// Wrote reports whether the last merge writes a channel.
func (t *Tally) Wrote(channel int) bool {
	return channel < len(t.slots) && t.slots[channel].epoch == t.epoch
}

// Owned is for a channel whose value the driver copies once a merge, before it changes it: it
// tells whether this merge has done so. It is false when the merge begins.
func (t *Tally) Owned(channel int) *bool { return &t.slots[channel].owned }
