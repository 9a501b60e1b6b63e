package trace

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"example.com/assay/graph"
)

// Normalise returns the trace without what changes between equal runs. It removes times, durations,
// the run's ID and the marks of replayed events. Interrupts get numbers in place of their IDs. The
// events of a superstep are sorted by task, since tasks run at the same time, and the lines are
// numbered anew. In the header it keeps only skills that the
// run used, so a change of another skill changes nothing. The rest stays as it is.
func Normalise(records []Record) []Record {
	out := inOrder(slices.Clone(records), 0)
	asked, numbers := askedSkills(records), map[string]string{}
	for i := range out {
		rec := &out[i]
		rec.Seq, rec.Time, rec.ElapsedUS, rec.Replayed = i, "", 0, false
		rec.Interrupts = slices.Clone(rec.Interrupts)
		for k := range rec.Interrupts {
			p := &rec.Interrupts[k]
			if numbers[p.ID] == "" {
				numbers[p.ID] = strconv.Itoa(len(numbers) + 1)
			}
			p.ID = numbers[p.ID]
		}
		if rec.Header != nil {
			header := *rec.Header
			header.RunID = ""
			header.Skills = maps.Clone(header.Skills)
			maps.DeleteFunc(header.Skills, func(name, _ string) bool { return !asked[name] })
			rec.Header = &header
		}
	}
	return out
}

// askedSkills are the skills that an event names, such as a model's call.
func askedSkills(records []Record) map[string]bool {
	asked := map[string]bool{}
	for _, rec := range records {
		var call struct {
			Skill string `json:"skill"`
		}
		if err := json.Unmarshal(rec.Data, &call); err == nil { // other events have other data
			asked[call.Skill] = true
		}
	}
	return asked
}

// inOrder sorts records by their place at one depth of nesting, and the records of one task by the
// next depth. Records of the task itself keep their order and their place among deeper ones.
func inOrder(records []Record, depth int) []Record {
	slices.SortStableFunc(records, func(a, b Record) int {
		p, q := placeAt(a, depth), placeAt(b, depth)
		if p.Step != q.Step {
			return p.Step - q.Step
		}
		return p.Task - q.Task
	})
	for begin := 0; begin < len(records); {
		end := begin + 1
		for end < len(records) && placeAt(records[end], depth) == placeAt(records[begin], depth) {
			end++
		}
		group := records[begin:end]
		for i := 0; i < len(group); {
			if len(group[i].Places) <= depth+1 {
				i++
				continue
			}
			j := i
			for j < len(group) && len(group[j].Places) > depth+1 {
				j++
			}
			inOrder(group[i:j], depth+1)
			i = j
		}
		begin = end
	}
	return records
}

func placeAt(rec Record, depth int) graph.Place {
	if depth < len(rec.Places) {
		return rec.Places[depth]
	}
	return graph.Place{Step: -2}
}
