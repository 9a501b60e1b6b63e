package a2a

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/serve/runs"
)

// giveCard answers with a public card.
func (c *call) giveCard() {
	data := encode(c.card())
	sum := sha256.Sum256(data)
	c.w.Header().Set("Content-Type", "application/json")
	c.w.Header().Set("Cache-Control", "max-age=60")
	c.w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum[:8]))
	http.ServeContent(c.w, c.r, "", time.Time{}, bytes.NewReader(data))
}

// Media types of parts.
const (
	plain      = "text/plain"
	structured = "application/json"
)

// card describes all graphs, or the one of the path.
func (c *call) card() *a2a.AgentCard {
	card := &a2a.AgentCard{
		Name: "Assay", Version: cmp.Or(c.Version, "0"),
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true, ExtendedAgentCard: true},
		DefaultInputModes:  []string{plain, structured},
		DefaultOutputModes: []string{plain, structured},
	}
	path, graphs := Path, c.Graphs()
	if c.graph != "" {
		path, card.Name = Path+"/"+c.graph, c.graph
		graphs = slices.DeleteFunc(graphs, func(g runs.Graph) bool { return g.Name != c.graph })
	}
	var names []string
	for _, g := range graphs {
		skill := skillOf(g)
		names, card.Skills = append(names, g.Name), append(card.Skills, skill)
		card.Description = skill.Description
	}
	if len(names) > 1 {
		card.Description = "Runs graphs: " + strings.Join(names, ", ") + `. A request names one in its metadata: {"graph": "` + names[0] + `"}.`
	}
	card.SupportedInterfaces = []*a2a.AgentInterface{a2a.NewAgentInterface(base(c.r)+path, a2a.TransportProtocolJSONRPC)}
	if c.Token {
		card.SecuritySchemes = a2a.NamedSecuritySchemes{
			"bearer": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"},
			"apiKey": a2a.APIKeySecurityScheme{Location: "header", Name: "X-Api-Key"},
		}
		card.SecurityRequirements = a2a.SecurityRequirementsOptions{{"bearer": {}}, {"apiKey": {}}}
	}
	return card
}

// skillOf describes a graph.
func skillOf(g runs.Graph) a2a.AgentSkill {
	s := a2a.AgentSkill{ID: g.Name, Name: g.Name, Description: cmp.Or(g.Description, "the graph "+g.Name), Tags: []string{"graph"}}
	if !g.Converses() {
		s.InputModes, s.OutputModes = []string{structured}, []string{structured}
	}
	return s
}

// extendedCard adds the settings of each graph, with the values that the caller may choose.
func (c *call) extendedCard(*a2a.GetExtendedAgentCardRequest) (any, error) {
	card := c.card()
	for i := range card.Skills {
		s := &card.Skills[i]
		g, err := c.Graph(s.ID)
		if err != nil {
			return nil, err
		}
		for _, one := range g.Settings {
			s.Description += fmt.Sprintf("\nSetting %q, in the metadata of a request", one.Name)
			if len(one.Schema) > 0 {
				s.Description += ": " + string(one.Schema)
			}
			if one.Values == nil {
				continue
			}
			values, err := one.Values(c.Tenant())
			if err != nil {
				return nil, err
			}
			s.Description += "; it can be " + strings.Join(values, ", ")
		}
	}
	return card, nil
}

// base returns the server's address as the caller knows it. The host was checked.
func base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
