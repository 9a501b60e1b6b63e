package graph

import "fmt"

// taskID returns the ID of a task; see the function taskID.
func (m *machine) taskID(res *result) string {
	return taskID(m.namespace, m.id, m.step, m.nodes[res.node].name, int(res.send))
}

// taskIDs returns the IDs of the tasks that are due.
func (m *machine) taskIDs() []string {
	var ids []string
	for i, name := range m.dueNames() {
		ids = append(ids, taskID(m.namespace, m.id, m.step+1, name, max(0, i-len(m.next)+1)))
	}
	return ids
}

// rejoin gives each task of a superstep its earlier records.
func (m *machine) rejoin() error {
	if m.ledger == nil {
		return nil
	}
	m.claims = nil
	if len(m.pendingWrites) == 0 {
		return nil
	}
	records := m.recordsByTask()
	for i := range m.results {
		res := &m.results[i]
		id := m.taskID(res)
		res.earlier = &earlierAttempts{records: records[id]}
		data, ok := res.earlier.records[recordKey{RecordUpdate, ""}]
		if !ok {
			continue
		}
		name := m.nodes[res.node].name
		var err error
		if res.update, err = m.decodeUpdate(data); err != nil {
			return fmt.Errorf("reading what node %q returned: %w", name, err)
		}
		if data, ok := res.earlier.records[recordKey{RecordOnce, childrenKey}]; ok {
			if err := decodeInto(data, &res.children); err != nil {
				return fmt.Errorf("reading where the graphs in node %q are: %w", name, err)
			}
		}
		for namespace := range res.children {
			m.claim(namespace, id)
		}
		res.earlier.done = true
	}
	return nil
}

// finishedTasks returns the finished tasks of an unfinished superstep.
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
	m.results = nil // else stage would reuse the array
	return out, nil
}
