// Package glossary lists the terms that a corpus defines, each with its exact definition. It is the
// smallest complete pipeline, and the example of how to add one: this folder, and one line in the
// command's list of pipelines.
//
//	p, err := glossary.New(corpus, injection.Orders)
//
// It finds the definitions that the document reader recognises: "“Tenant” means …", an entry in a
// list of terms. The package does not find definitions in running text or tables, asks no model,
// and does not choose between two definitions of a term.
package glossary
