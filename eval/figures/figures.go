// Package figures lists the measurements of the project: the data, the command, the
// targets, and the published figures for comparison.
//
// `agent eval all` makes the measurements whose data sets are present, and `go run
// ./eval/report` writes docs/results.md from the results.
package figures

import (
	"fmt"
	"slices"
	"strings"
)

// A Figure is one number of a measurement.
type Figure struct {
	Metric string  // as the command calls it
	Target float64 // the target; 0 for none
	AtMost bool    // the target is an upper bound
	// Published is the best comparable published number; 0 for none.
	Published float64
	By        string
}

// A Measurement is a command on a data set.
type Measurement struct {
	Name   string // title of the measurement
	Folder string // of the data set
	Source string // where the data come from
	// Command is the command line of agent, or of eval/train if Train is set. A word that begins
	// with "@" is a file of the set's folder, or the folder itself; one that begins with "%" a file
	// of case_studies/schemas.
	Command string
	Train   bool
	// Table is the heading of the table to read in eval/train's output.
	Table   string
	Figures []Figure
}

// Sources of the data sets.
const (
	obliqa     = "github.com/RegNLP/ObliQADataset"
	scifact    = "github.com/allenai/scifact"
	barexam    = "huggingface.co/datasets/reglab/barexam_qa (qa)"
	bipia      = "github.com/microsoft/BIPIA"
	sroie      = "github.com/zzzDavid/ICDAR-2019-SROIE"
	unicausal  = "github.com/tanfiona/UniCausal"
	newsCorpus = "github.com/tanfiona/CausalNewsCorpus"
	pubmed     = "github.com/junwang4/causal-language-use-in-science"
	wice       = "github.com/ryokamoi/wice"
)

// Offline returns the measurements that the command can make, for sets whose name contains a text.
func Offline(only string) []Measurement {
	return slices.DeleteFunc(slices.Clone(All), func(m Measurement) bool { return m.Train || !strings.Contains(m.Folder, only) })
}

// Sources lists the folders of the data sets that the command measures on, and where
// they come from, a line for each.
func Sources() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, m := range Offline("") {
		if !seen[m.Folder] {
			fmt.Fprintf(&b, "  %-24s%s\n", m.Folder, m.Source)
		}
		seen[m.Folder] = true
	}
	return b.String()
}

// All are the measurements, in the order in which they are shown.
var All = []Measurement{
	{
		Name: "retrieval, ObliQA", Folder: "obliqa", Source: obliqa,
		Command: "eval retrieval --format obliqa --corpus @corpus.jsonl.gz --queries @questions.jsonl",
		Figures: []Figure{{Metric: "R@10", Target: .789, Published: .8333, By: "hybrid with an embedding model"}, {Metric: "MAP@10", Target: .660, Published: .7016, By: "hybrid with an embedding model"}},
	},
	{
		Name: "retrieval, ObliQA, a ranker trained on the other half", Folder: "obliqa", Source: obliqa,
		Command: "eval retrieval --format obliqa --corpus @corpus.jsonl.gz --queries @questions.jsonl --train-rerank --folds 2",
		Figures: []Figure{{Metric: "R@10", Target: .805, Published: .8333, By: "hybrid with an embedding model"}, {Metric: "MAP@10", Target: .685, Published: .7016, By: "hybrid with an embedding model"}},
	},
	{
		Name: "retrieval, SciFact", Folder: "scifact", Source: scifact,
		Command: "eval retrieval --format scifact --corpus @corpus.jsonl.gz --queries @claims.jsonl",
		Figures: []Figure{{Metric: "nDCG@10", Target: .702, Published: .741, By: "BGE-base"}, {Metric: "R@10"}},
	},
	{
		Name: "retrieval, MoreHopQA", Folder: "morehopqa", Source: "github.com/Alab-NII/morehopqa, passages github.com/OSU-NLP-Group/HippoRAG",
		Command: "eval retrieval --format morehopqa --corpus @corpus.jsonl.gz --queries @questions.jsonl",
		Figures: []Figure{{Metric: "R@5", Target: .95}, {Metric: "R@2"}},
	},
	{
		Name: "retrieval, LegalBench-RAG", Folder: "legalbench_rag", Source: "github.com/zeroentropy-ai/legalbenchrag",
		Command: "eval retrieval --format legalbench --corpus @corpus.jsonl.gz --queries @queries.jsonl",
		Figures: []Figure{{Metric: "char_recall@10", Target: .67}, {Metric: "doc_hit@1", Target: .88}},
	},
	{
		Name: "retrieval, BarExam, choices pooled", Folder: "barexam_qa", Source: barexam,
		Command: "eval retrieval --format barexam --corpus @corpus.jsonl --queries @questions.jsonl --choices pooled",
		Figures: []Figure{{Metric: "R@10", Target: .44}},
	},
	{
		Name: "claims, WiCE, cross-validated", Folder: "wice", Source: wice, Train: true, Command: "verify", Table: "wice",
		Figures: []Figure{{Metric: "AUC", Target: .82}, {Metric: "balanced_accuracy", Target: .77, Published: .828, By: "a 7B model"}, {Metric: "F1", Target: .60, Published: .61, By: "GPT-4, oracle chunks"}, {Metric: "ECE", Target: .05, AtMost: true}},
	},
	{
		Name: "claims, SciFact, cross-validated", Folder: "scifact", Source: scifact, Train: true, Command: "verify", Table: "scifact",
		Figures: []Figure{{Metric: "AUC", Target: .82}, {Metric: "accuracy", Target: .58}},
	},
	{
		Name: "hallucination, FaithBench, not trained on", Folder: "faithbench", Source: "github.com/vectara/FaithBench",
		Command: "eval claims --format faithbench --data @samples.jsonl.gz",
		Figures: []Figure{{Metric: "balanced_accuracy", Target: .60, Published: .571, By: "GPT-4o"}, {Metric: "AUC"}},
	},
	{
		Name: "altered claims, WiCE, by alterations of our own (weights trained on the originals)", Folder: "wice", Source: wice,
		Command: "eval claims --format wice --data @claims.jsonl.gz --altered",
		Figures: []Figure{{Metric: "refused_negation", Target: .90}, {Metric: "refused_or_doubt_negation", Target: .95}, {Metric: "refused_number", Target: .92}, {Metric: "refused_or_doubt_number", Target: .95}, {Metric: "refused_name", Target: .95}, {Metric: "refused_or_doubt_name", Target: .95}, {Metric: "refused_direction", Target: .40}, {Metric: "refused_or_doubt_direction", Target: .75}, {Metric: "refused_gender"}, {Metric: "refused_or_doubt_gender"}, {Metric: "refused_quantifier"}, {Metric: "refused_or_doubt_quantifier"}, {Metric: "refused_modality"}, {Metric: "refused_or_doubt_modality"}, {Metric: "refused_month"}, {Metric: "refused_or_doubt_month"}, {Metric: "refused_exchange"}, {Metric: "refused_or_doubt_exchange"}, {Metric: "refused_subject"}, {Metric: "refused_or_doubt_subject"}, {Metric: "refused_unit"}, {Metric: "refused_or_doubt_unit"}, {Metric: "ECE", Target: .05, AtMost: true}},
	},
	{
		Name: "altered claims, SciFact, by alterations of our own (weights trained on the originals)", Folder: "scifact", Source: scifact,
		Command: "eval claims --format scifact --data @claims.jsonl --corpus @corpus.jsonl.gz --altered",
		Figures: []Figure{{Metric: "refused_negation"}, {Metric: "refused_or_doubt_negation"}, {Metric: "refused_direction"}, {Metric: "refused_or_doubt_direction"}, {Metric: "refused_number"}, {Metric: "refused_or_doubt_number"}, {Metric: "refused_subject"}, {Metric: "refused_or_doubt_subject"}},
	},
	{
		Name: "requirements, sentences", Folder: "obligation_sentences", Source: "github.com/RegNLP/RePASs",
		Command: "eval obligations --data @sentences.jsonl", Figures: []Figure{{Metric: "F1", Target: .95, Published: .98, By: "a model trained on the set"}, {Metric: "precision"}, {Metric: "recall"}},
	},
	{
		Name: "compliance answers, ObliQA, first 300", Folder: "obliqa", Source: obliqa,
		Command: "eval comply --format obliqa --corpus @corpus.jsonl.gz --data @questions.jsonl --limit 300",
		Figures: []Figure{{Metric: "gold_cited", Target: .60}, {Metric: "gold_precision"}, {Metric: "gold_recall"}, {Metric: "answered"}},
	},
	{
		Name: "causal language, PubMed, shipped weights, not trained on it", Folder: "pubmed_causal_language", Source: pubmed,
		Command: "eval causal --format pubmed --data @sentences.jsonl", Figures: []Figure{{Metric: "macro_F1", Target: .72, Published: .883, By: "BioBERT, four classes"}},
	},
	{
		Name: "causal language, PubMed, cross-validated", Folder: "pubmed_causal_language", Source: pubmed, Train: true, Command: "causal", Table: "pubmed",
		Figures: []Figure{{Metric: "macro_F1", Target: .79, Published: .883, By: "BioBERT, four classes"}},
	},
	{
		Name: "causal language, news, cross-validated", Folder: "causal_news_corpus", Source: newsCorpus, Train: true, Command: "causal", Table: "cnc",
		Figures: []Figure{{Metric: "F1", Target: .755, Published: .863, By: "BERT"}, {Metric: "AUC", Target: .76}},
	},
	{
		Name: "cause and effect, SemEval-2010 pairs, cross-validated", Folder: "semeval2010t8_pairs", Source: unicausal, Train: true, Command: "causal", Table: "pairs",
		Figures: []Figure{{Metric: "F1", Target: .86, Published: .947, By: "BERT"}},
	},
	{
		Name: "the same, cause and effect exchanged", Folder: "semeval2010t8_pairs", Source: unicausal, Train: true, Command: "causal", Table: "pairs, swapped",
		Figures: []Figure{{Metric: "accepted", Target: .03, AtMost: true}},
	},
	{
		Name: "fields, SROIE, cross-validated by receipt", Folder: "sroie", Source: sroie,
		Command: "eval extract --format sroie --schema %receipt.json --data @receipts.jsonl --cross-validate documents",
		Figures: []Figure{
			{Metric: "F1", Target: .88, Published: .95, By: "layout transformers, official test"}, {Metric: "F1_normalised", Target: .95},
			{Metric: "F1.company"}, {Metric: "F1.date"}, {Metric: "F1.address"}, {Metric: "F1.total"}, {Metric: "ECE"},
		},
	},
	{
		Name: "fields, SROIE, cross-validated by company", Folder: "sroie", Source: sroie,
		Command: "eval extract --format sroie --schema %receipt.json --data @receipts.jsonl --cross-validate groups",
		Figures: []Figure{{Metric: "F1"}, {Metric: "F1_normalised", Target: .93}, {Metric: "ECE"}},
	},
	{
		Name: "fields, Kleister-NDA, not trained on it", Folder: "kleister_nda", Source: "github.com/applicaai/kleister-nda",
		Command: "eval extract --format kleister --schema %contract.json --data @documents.jsonl.gz",
		Figures: []Figure{
			{Metric: "F1", Target: .78, Published: .818, By: "trained layout models, test-A"},
			{Metric: "F1.effective_date"}, {Metric: "F1.jurisdiction"}, {Metric: "F1.party"}, {Metric: "F1.term"},
		},
	},
	{
		Name: "multiple choice, BarExam", Folder: "barexam_qa", Source: barexam, Command: "eval mcq --data @",
		Figures: []Figure{{Metric: "gold/right_of_surest_half", Target: .60}, {Metric: "gold/accuracy", Target: .52}, {Metric: "retrieval/accuracy", Target: .37}, {Metric: "closed/accuracy"}, {Metric: "gold/ECE"}},
	},
	{
		Name: "the same, evidence and style of the choices fitted, cross-validated; not shipped", Folder: "barexam_qa", Source: barexam, Command: "eval mcq --data @ --cross",
		Figures: []Figure{{Metric: "gold/accuracy", Target: .49}, {Metric: "retrieval/accuracy", Target: .36}, {Metric: "closed/accuracy"}},
	},
	{
		Name: "orders hidden in documents, BIPIA, category left out", Folder: "bipia_injection", Source: bipia, Command: "eval injection --data @ --cross",
		Figures: []Figure{{Metric: "recall", Target: .88}, {Metric: "recall_at_5_percent"}, {Metric: "clean", Target: 0, AtMost: true}, {Metric: "tricky_documents", Target: .05, AtMost: true}},
	},
	{
		Name: "the same, shipped weights", Folder: "bipia_injection", Source: bipia, Command: "eval injection --data @",
		Figures: []Figure{{Metric: "attack_success", Target: 0, AtMost: true}, {Metric: "tricky_questions", Target: .05, AtMost: true}, {Metric: "recall"}},
	},
}
