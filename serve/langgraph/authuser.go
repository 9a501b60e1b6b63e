package langgraph

import (
	"encoding/json"

	"example.com/assay/serve/runs"
)

// setUser sets the settings by which graphs of LangGraph's server know who began a run. It removes
// those of a request: nobody can claim to be another.
func setUser(settings map[string]json.RawMessage, by runs.Caller) {
	for name, v := range map[string]any{
		"langgraph_auth_user":        map[string]any{"identity": by.Subject, "display_name": by.Subject, "is_authenticated": true, "permissions": by.Scopes},
		"langgraph_auth_user_id":     by.Subject,
		"langgraph_auth_permissions": by.Scopes,
	} {
		if delete(settings, name); by.Subject != "" {
			settings[name], _ = json.Marshal(v) // texts can always be encoded
		}
	}
}
