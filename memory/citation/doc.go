// Package citation finds references to numbered parts of documents, and the parts that they name.
//
//	for _, c := range citation.Parse("What does 42 U.S.C. § 1983(b) require?") {
//		fmt.Println(c.Text, c.Exact()) // 42 U.S.C. § 1983(b) [42 usc|section 1983(b) 42 usc|- 1983(b)]
//	}
//	labels := citation.Label(passages) // by index: which parts each passage is
//
// References and passages have keys, strings that are equal if a reference names a part:
// [Citation.Exact] of a reference, [Labels] of a passage. The caller stores and looks up the keys.
//
// Recognised are numbers after a word or sign ("§ 5899(b)", "Art. 12(3)", "Rule 10b-5", "Annex
// IV"), numbers of several parts alone ("8.7.1", "12(3)"), sections of the United States Code and
// the Code of Federal Regulations, a section of an article ("Article I, Section 8"), and
// identifiers ("REQ-12", "CVE-2024-1234").
//
// The package does not follow references from one passage to another, resolve "ibid.", "the said
// section" or ranges ("§§ 3–7" names § 3), convert Roman numbers, decide which edition of a law is
// meant, or know the names of laws other than those two codes.
package citation
