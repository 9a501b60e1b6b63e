// Package glossary lists the terms that a corpus defines, each with its definition word for
// word. It is the smallest whole pipeline, and the example of how one is added: this folder,
// and one line in the list of pipelines of the command.
//
//	p, err := glossary.New(corpus, injection.Orders)
//
// A definition is what the reader of documents takes for one: "“Tenant” means …", an entry
// of a list of terms. The package reads no definition out of running text or tables, asks no
// model, and does not say which of two definitions of a term holds.
package glossary
