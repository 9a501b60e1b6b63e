package answer

import (
	"reflect"
	"slices"
	"sync"
)

// An unread ranking has the scores of sources for a question before a model has read them together.
// It is immutable.
type unread struct {
	question string
	sources  []Source // without the readings
	asks     *question
	pool     *pool
	list     []scored
}

// rankings caches the last rankings. A run ranks the same sources for the same question up to three
// times: to choose what to read, to quote, and to compute the confidence.
var rankings lastRankings

type lastRankings struct {
	mu   sync.Mutex
	list []*unread // the latest first
}

const keptRankings = 4

func (l *lastRankings) of(q string, sources []Source) *unread {
	sources = slices.Clone(sources)
	for i := range sources {
		sources[i].Read = nil
	}
	l.mu.Lock()
	at := slices.IndexFunc(l.list, func(u *unread) bool { return u.question == q && reflect.DeepEqual(u.sources, sources) })
	if at >= 0 {
		defer l.mu.Unlock()
		return l.list[at]
	}
	l.mu.Unlock()
	u := newUnread(q, sources)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append([]*unread{u}, l.list[:min(len(l.list), keptRankings-1)]...)
	return u
}

func newUnread(q string, sources []Source) *unread {
	asks := parse(q)
	p := newPool(reader{asks.lang}, sources, otherForms(q, asks, sources))
	asks.weigh(p)
	list := slices.DeleteFunc(p.scores(asks), func(s scored) bool { return !p.candidate(s.index) })
	slices.SortStableFunc(list, byScore)
	return &unread{q, sources, asks, p, list}
}
