package langgraph

import (
	"strings"

	"github.com/google/uuid"
)

// assistantOf is the ID of a graph's own assistant, the same on all servers.
func assistantOf(graphName string) string {
	return uuid.NewSHA1(graphs, []byte(graphName)).String()
}

// taskUUID writes an ID of the engine, 32 hexadecimal digits, as a UUID.
func taskUUID(id string) string {
	if len(id) != 32 {
		return id
	}
	return strings.Join([]string{id[:8], id[8:12], id[12:16], id[16:20], id[20:]}, "-")
}

// graphs is the UUID namespace for the IDs of graphs.
var graphs = uuid.MustParse("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
