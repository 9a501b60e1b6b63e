package mcp

import (
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Extend adds to a mounting what only the conformance suite wants.
func Extend(o *Options, tune func(*sdk.ServerOptions), more func(*sdk.Server)) {
	o.tune, o.more = tune, more
}

// Given is what a person has answered to a question of a tool that runs no graph.
func Given(c *Call, id string) map[string]any {
	if r, ok := c.req.Params.InputResponses[id].(*sdk.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

// Bounded is a mounting whose tenants have so many sessions, which end after so much silence.
func Bounded(o Options, sessions int, idle time.Duration) Options {
	o.sessions, o.idle = sessions, idle
	return o
}
