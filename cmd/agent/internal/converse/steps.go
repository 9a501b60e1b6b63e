package converse

import (
	"encoding/json"
	"strings"

	"example.com/assay/graph"
)

// Steps names the node of a pipeline that begins, so that a reader of the conversation sees
// that it goes on; of tasks that a list began, the first. The names make one line: "plan → retrieve → ".
func Steps(ev graph.Event[json.RawMessage]) string {
	if ev.Kind != graph.NodeStart || ev.Attempt > 1 || ev.Send > 1 {
		return ""
	}
	return strings.ReplaceAll(ev.Node, "_", " ") + " → "
}
