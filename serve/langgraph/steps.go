package langgraph

import (
	"maps"
	"slices"

	"example.com/assay/serve/runs"
)

// step shows a step of a graph inside a node as text of that node.
func (m *mapper) step(ev runs.Event, add sink) {
	m.token(ev, add)
	m.steps[taskOf(ev)] = ev
}

// unsay removes the shown steps of a task, since no state has that message. Clients of the second
// protocol cannot remove messages, so they get no steps.
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

// unsayAll removes all shown steps.
func (m *mapper) unsayAll(add sink) {
	for _, task := range slices.Sorted(maps.Keys(m.steps)) {
		m.unsay(task, add)
	}
}
