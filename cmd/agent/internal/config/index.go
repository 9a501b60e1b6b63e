package config

import (
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/memory/index/weaviate"
)

// EnvIndexKey holds the key of the server of an index.
const EnvIndexKey = "WEAVIATE_API_KEY"

// IndexExample is an address of three nodes.
const IndexExample = "weaviate://db1:8080,db2:8080,db3:8080?shards=3&replicas=2"

func indexSetting() Setting {
	return Setting{
		key: "index", variable: "ASSAY_INDEX", flag: "index", example: IndexExample,
		about: "Where an ingest puts the index of a corpus: files, or " + weaviate.Form + ", whose key is in " + EnvIndexKey + "; by default where the corpus has it, and files for a new one. Other verbs find it by the corpus.",
		set: func(p *parser, s *Settings, from origin, text string) {
			if text != "" && text != memory.InFiles {
				if _, err := weaviate.New(text, ""); err != nil {
					p.fail(cli.Usagef("%s: %w; or write %s", from, err, memory.InFiles))
				}
			}
			s.Index = text
		},
		show: func(s *Settings) string { return s.Index },
	}
}

// Servers reaches the servers of indexes with the key of the environment.
func Servers(env cli.Environment) memory.Servers {
	return func(address string) (memory.Server, error) {
		return weaviate.New(address, env.Get(EnvIndexKey))
	}
}
