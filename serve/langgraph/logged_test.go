package langgraph_test

import (
	"cmp"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// changing are the parts of frames that differ between two servers.
var changing = regexp.MustCompile(`(?m)^id: .*\n|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)

// A client gets the events that it asked for, also where the log keeps more for others: the
// stream of each mode is the same as where the log keeps nothing else.
func TestOnlyWhatWasAsked(t *testing.T) {
	less, more := keeping(t, t.TempDir(), 0, false), served(t)
	for _, graph := range []string{"chain", "nested", "fan", "tools", "fails", "steps"} {
		for _, modes := range []string{"", "values", "updates", "messages", "messages-tuple", "custom", "tasks", "checkpoints", "debug", "updates\",\"values"} {
			for _, nested := range []bool{false, true} {
				body := fmt.Sprintf(`{"assistant_id":%q,"input":%s,"stream_mode":[%q],"stream_subgraphs":%v}`, graph, map[bool]string{true: `{"items":[-1,-2]}`, false: "{}"}[graph == "fan"], modes, nested)
				body = strings.ReplaceAll(strings.ReplaceAll(body, `\"`, `"`), `[""]`, `["values"]`)
				stream := func(s *httptest.Server) string {
					_, answer, _ := send(t, s, "POST", "/threads/"+thread(t, s)+"/runs/stream", body)
					return changing.ReplaceAllString(answer, "…")
				}
				if want, got := stream(less), stream(more); got != want || got == "" {
					t.Errorf("%s: %s\nwith more in the log:\n%s", body, cmp.Or(want, "nothing"), got)
				}
			}
		}
	}
}
