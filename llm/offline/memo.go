package offline

import (
	"sync"

	"example.com/assay/decide/injection"
	"example.com/assay/memory/text"
)

// mostRemembered is how many texts a model remembers the orders of.
const mostRemembered = 4096

// An orderMemo remembers where texts give orders: the claims of one response are
// judged against the same passages. What is remembered is a function of the
// text, so answers do not depend on it.
type orderMemo struct {
	mu    sync.Mutex
	known map[string][]text.Span
}

func newOrderMemo() *orderMemo { return &orderMemo{known: map[string][]text.Span{}} }

func (m *orderMemo) in(passage string) []text.Span {
	m.mu.Lock()
	spans, ok := m.known[passage]
	m.mu.Unlock()
	if ok {
		return spans
	}
	for _, o := range injection.Instructions(passage) {
		spans = append(spans, text.Span{Start: o.Start, End: o.End})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= mostRemembered {
		clear(m.known)
	}
	m.known[passage] = spans
	return spans
}
