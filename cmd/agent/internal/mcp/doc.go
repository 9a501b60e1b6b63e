// Package mcp makes the pipelines and corpora tools, resources and prompts for assistants,
// behind agent mcp and agent serve.
//
// It opens nothing: a Host does, for a tenant. A corpus is named, never a path; files are
// read below one folder, if there is one.
package mcp
