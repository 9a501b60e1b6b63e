package graph

import "fmt"

// taskID returns the ID of a task of the current superstep; see the function taskID.
func (pos *position) taskID(res *result) string { return pos.taskIDAt(pos.machine.Superstep(), res) }

func (pos *position) taskIDAt(step int, res *result) string {
	return taskID(pos.ledger.namespace, pos.ledger.id, step, pos.program.nodes[res.node].name, int(res.send))
}

// taskIDs returns the IDs of the tasks that are due.
func (pos *position) taskIDs() []string {
	ids := make([]string, pos.due())
	for i, name := range pos.dueNames() {
		_, send := pos.machine.Task(i)
		ids[i] = taskID(pos.ledger.namespace, pos.ledger.id, pos.machine.Superstep()+1, name, send)
	}
	return ids
}

// rejoin gives each task of a superstep its earlier records.
func (pos *position) rejoin(step int) error {
	if pos.ledger == nil {
		return nil
	}
	pos.ledger.claims = nil
	if len(pos.ledger.pendingWrites) == 0 {
		return nil
	}
	records := pos.ledger.recordsByTask()
	for i := range pos.results {
		res := &pos.results[i]
		id := pos.taskIDAt(step, res)
		res.earlier = &earlierAttempts{records: records[id]}
		data, ok := res.earlier.records[recordKey{RecordUpdate, ""}]
		if !ok {
			continue
		}
		name := pos.program.nodes[res.node].name
		var err error
		if res.update, err = pos.program.decodeUpdate(data); err != nil {
			return fmt.Errorf("reading what node %q returned: %w", name, err)
		}
		if data, ok := res.earlier.records[recordKey{RecordOnce, childrenKey}]; ok {
			if err := decodeInto(data, &res.children); err != nil {
				return fmt.Errorf("reading where the graphs in node %q are: %w", name, err)
			}
		}
		for namespace := range res.children {
			pos.ledger.claim(namespace, id)
		}
		res.earlier.done = true
	}
	return nil
}

// finishedTasks returns the finished tasks of an unfinished superstep.
func (pos *position) finishedTasks() ([]result, error) {
	pos.stage()
	if err := pos.rejoin(pos.machine.Superstep() + 1); err != nil {
		return nil, err
	}
	var out []result
	for _, res := range pos.results {
		if res.finished() {
			out = append(out, res)
		}
	}
	pos.results = nil // else stage would reuse the array
	return out, nil
}
