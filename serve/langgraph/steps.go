package langgraph

import (
	"maps"
	"slices"

	"example.com/assay/serve/runs"
)

// step shows what a graph inside a node does as text that the node writes.
func (m *mapper) step(ev runs.Event, add sink) {
	m.token(ev, add)
	m.steps[taskOf(ev)] = ev
}

// unsay takes back what was shown of a task's steps, since no state has that message. The
// clients of the second wire cannot take back messages: to them steps are none.
func (m *mapper) unsay(task string, add sink) {
	ev, ok := m.steps[task]
	if !ok {
		return
	}
	delete(m.steps, task)
	gone := map[string]any{"type": "remove", "id": "run-" + task, "content": ""}
	if m.modes["messages-tuple"] {
		add("messages", []any{gone, m.about(ev)})
	}
	if m.modes["messages"] {
		add("messages/complete", []any{gone})
	}
}

// unsayAll takes back all steps.
func (m *mapper) unsayAll(add sink) {
	for _, task := range slices.Sorted(maps.Keys(m.steps)) {
		m.unsay(task, add)
	}
}
