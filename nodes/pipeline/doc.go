// Package pipeline describes a pipeline as one value. Commands, sessions, tools of assistants,
// served graphs, forms, workers, cases, replays and the manual are derived from it.
//
//	var Pipeline = pipeline.Pipeline{
//		Name: "glossary", Title: "Glossary", Does: "lists what a corpus defines",
//		Corpus: pipeline.Always, Message: pipeline.Field{Name: "term", Help: "the term"},
//		Make: func(b pipeline.Bench) (pipeline.Instance, error) { … pipeline.Of(pipeline.Typed[State]{…}) },
//	}
//
// The package opens nothing, runs nothing and knows no pipeline by name. Package follow runs an
// [Instance].
package pipeline
