package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/nodes/mcp"
)

// KeyServers is the section of MCP servers, whose keys are their names.
const KeyServers = "mcp"

// A Server is an MCP server whose tools models may call.
type Server struct {
	Name       string
	Command    string
	Args       []string
	Env        []string // names of the variables that the command gets
	URL        string
	HeaderFile string
	Tools      []string // tools that may be called
	Ask        []string // tools that may be called in agent chat, when the person approves
	Timeout    time.Duration
	MaxOutput  int
}

// A serverPart is a key of a server. A key with a list has list; another has set and show.
type serverPart struct {
	name string
	list func(*Server) *[]string
	set  func(p *parser, server *Server, from origin, text string)
	show func(*Server) string
}

// serverParts are the keys of a server, in the order of messages.
var serverParts = []serverPart{
	{name: "command", show: func(s *Server) string { return s.Command }, set: func(p *parser, s *Server, from origin, text string) {
		s.Command = p.text(from, text, "a program")
		if strings.Contains(text, "/") {
			s.Command = from.path(text)
		}
	}},
	{name: "args", list: func(s *Server) *[]string { return &s.Args }},
	{name: "env", list: func(s *Server) *[]string { return &s.Env }},
	{name: "url", show: func(s *Server) string { return s.URL }, set: func(p *parser, s *Server, from origin, text string) {
		if err := mcp.CheckURL(text, false); err != nil {
			p.fail(cli.Usagef("%s: %w", from, err))
		}
		s.URL = text
	}},
	{name: "header_file", show: func(s *Server) string { return s.HeaderFile }, set: func(p *parser, s *Server, from origin, text string) {
		s.HeaderFile = from.path(p.text(from, text, "a file"))
	}},
	{name: "tools", list: func(s *Server) *[]string { return &s.Tools }},
	{name: "ask", list: func(s *Server) *[]string { return &s.Ask }},
	{name: "timeout", show: func(s *Server) string { return s.Timeout.String() }, set: func(p *parser, s *Server, from origin, text string) {
		s.Timeout = p.duration(from, text, time.Millisecond)
	}},
	{name: "max_output", show: func(s *Server) string { return strconv.Itoa(s.MaxOutput) }, set: func(p *parser, s *Server, from origin, text string) {
		s.MaxOutput = p.count(from, text, 1)
	}},
}

func serverPartNames() []string {
	out := make([]string, len(serverParts))
	for i, part := range serverParts {
		out[i] = part.name
	}
	return out
}

// ServerNames are the names of the configured servers, sorted.
func (s Settings) ServerNames() []string { return slices.Sorted(maps.Keys(s.Servers)) }

// serversSetting is the section of servers.
func serversSetting() Setting {
	return Setting{
		key: KeyServers, example: `files: {command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", /data], env: [PATH, HOME], tools: [read_text_file]}`,
		about: "MCP servers (command or url) whose tools a model that searches, and agent chat, may call: those under tools, and in agent chat those under ask, after a person's yes.",
		show:  func(*Settings) string { return "" },
		within: func(key string) Setting {
			name, part, _ := strings.Cut(strings.TrimPrefix(key, KeyServers+"."), ".")
			at := slices.IndexFunc(serverParts, func(p serverPart) bool { return p.name == part })
			if at < 0 {
				return Setting{key: key} // cannot happen: configReader makes no such key
			}
			return serverSetting(key, name, serverParts[at])
		},
		given: func(s *Settings) []string {
			var keys []string
			for _, name := range s.ServerNames() {
				for _, part := range serverParts {
					if key := KeyServers + "." + name + "." + part.name; s.Origins[key] != (origin{}) {
						keys = append(keys, key)
					}
				}
			}
			return keys
		},
	}
}

// serverSetting is one part of a server.
func serverSetting(key, name string, part serverPart) Setting {
	return Setting{
		key: key,
		set: func(p *parser, s *Settings, from origin, text string) {
			if s.Servers == nil {
				s.Servers = map[string]*Server{}
			}
			if s.Servers[name] == nil {
				s.Servers[name] = &Server{Name: name}
			}
			if part.list == nil {
				part.set(p, s.Servers[name], from, text)
			} else if err := json.Unmarshal([]byte(text), part.list(s.Servers[name])); err != nil {
				p.fail(cli.Usagef("%s: it must be a list", from)) // cannot happen: configReader.list writes one
			}
		},
		show: func(s *Settings) string {
			server := s.Servers[name]
			if server == nil {
				return ""
			}
			if part.list != nil {
				return strings.Join(*part.list(server), ", ")
			}
			return part.show(server)
		},
	}
}

var (
	serverNames   = pattern.New(`^[A-Za-z][A-Za-z0-9_-]{0,29}$`)
	variableNames = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// servers reads the section of servers.
func (f *configReader) servers(value *yaml.Node) {
	f.lines(value, KeyServers+needsLines, "a key is a name for a server, such as files", func(name, server *yaml.Node) {
		section := KeyServers + "." + name.Value
		if !serverNames.MatchString(name.Value) {
			f.fail(cli.Usagef("%s:%d: %s is %q: a server's name must be a letter, then at most 29 letters, digits, _ or -", f.path, name.Line, KeyServers, name.Value))
		}
		known := serverPartNames()
		hint, given := "known keys: "+strings.Join(known, ", "), map[string]bool{}
		f.lines(server, section+needsLines, hint, func(key, v *yaml.Node) {
			at := slices.Index(known, key.Value)
			if at < 0 {
				f.fail(cli.Usagef("%s:%d: unknown key %q in %s%s; %s", f.path, key.Line, key.Value, section, text.DidYouMean(key.Value, known), hint))
				return
			}
			given[key.Value] = true
			if serverParts[at].list == nil {
				f.take(section, key.Value, v)
				return
			}
			f.list(section, key.Value, v)
		})
		for _, wrong := range []struct {
			is   bool
			what string
		}{
			{given["command"] == given["url"], "it needs a command or a url, and not both"},
			{given["url"] && (given["args"] || given["env"]), "args and env belong to a command"},
			{given["command"] && given["header_file"], "header_file belongs to a url"},
			{!given["tools"] && !given["ask"], "it names no tools that may be called: write tools: [] and agent doctor lists what the server has"},
		} {
			if wrong.is {
				f.fail(cli.Usagef("%s:%d: %s: %s", f.path, name.Line, section, wrong.what))
			}
		}
	})
}

// list adds a list of texts to the entries, as JSON.
func (f *configReader) list(section, key string, v *yaml.Node) {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	full := section + "." + key
	items := []string{}
	if v.Kind != yaml.SequenceNode {
		f.fail(cli.Usagef("%s:%d: %s: it must be a list, such as [first, second]", f.path, v.Line, full))
		return
	}
	for _, item := range v.Content {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
			f.fail(cli.Usagef("%s:%d: %s: each entry must be one value", f.path, item.Line, full))
			return
		}
		if key == "env" && !variableNames.MatchString(item.Value) {
			f.fail(cli.Usagef("%s:%d: %s: each entry must be the name of a variable that the server gets; values stay in the environment", f.path, item.Line, full))
			return
		}
		items = append(items, item.Value)
	}
	data, _ := json.Marshal(items) // strings can be encoded
	f.take(section, key, &yaml.Node{Kind: yaml.ScalarNode, Value: string(data), Line: v.Line})
}
