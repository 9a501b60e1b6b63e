package graph

import "fmt"

// taskID is a task's; see taskID.
func (m *machine) taskID(res *result) string {
	return taskID(m.namespace, m.id, m.step, m.nodes[res.node].name, int(res.send))
}

// taskIDs are those of the tasks that are due.
func (m *machine) taskIDs() []string {
	var ids []string
	for i, name := range m.dueNames() {
		ids = append(ids, taskID(m.namespace, m.id, m.step+1, name, max(0, i-len(m.next)+1)))
	}
	return ids
}

// rejoin gives the tasks of a superstep what is on record of them.
func (m *machine) rejoin() error {
	if m.ledger == nil {
		return nil
	}
	m.claims = nil
	if len(m.left) == 0 {
		return nil
	}
	left := m.leftByTask()
	for i := range m.results {
		res := &m.results[i]
		id := m.taskID(res)
		res.past = &past{left: left[id]}
		data, ok := res.past.left[recordKey{RecordUpdate, ""}]
		if !ok {
			continue
		}
		name := m.nodes[res.node].name
		var err error
		if res.update, err = m.decodeUpdate(data); err != nil {
			return fmt.Errorf("reading what node %q returned: %w", name, err)
		}
		if data, ok := res.past.left[recordKey{RecordOnce, childrenKey}]; ok {
			if err := decodeInto(data, &res.inner); err != nil {
				return fmt.Errorf("reading where the graphs in node %q are: %w", name, err)
			}
		}
		for namespace := range res.inner {
			m.claim(namespace, id)
		}
		res.past.done = true
	}
	return nil
}

// finishedTasks are the tasks of the superstep under way that have returned.
func (m *machine) finishedTasks() ([]result, error) {
	m.stage()
	m.step++
	err := m.rejoin()
	m.step--
	if err != nil {
		return nil, err
	}
	var out []result
	for _, res := range m.results {
		if res.finished() {
			out = append(out, res)
		}
	}
	m.results = nil // whose places would be used again
	return out, nil
}
