package index

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/state"
)

// Questions about the corpus in testdata/kitebarge, which was invented for
// these tests, and questions that it does not answer.
var (
	bargeQuestions = []string{
		"How does a candidate earn the blue certificate?",
		"When does a pilot's certificate lapse?",
		"What happens to a pilot who drinks spirits before casting off?",
		"How wide may a towing kite be on the open lagoon?",
		"Why is glue forbidden for mending a torn kite?",
		"What is the linen waxed with?",
		"When is a tow line condemned?",
		"Who may cut the line when a gust threatens to capsize the barge?",
		"In which order do barges pass the locks?",
		"What is the fine for a flying kite inside the lock chamber?",
		"How is the toll reckoned?",
		"Which vessels travel free of toll?",
		"Which lanterns does a barge show at night?",
		"What do three blasts of the conch mean?",
		"Why must lantern oil be pressed from rapeseed?",
		"How is grain stowed?",
		"How may quicklime be carried?",
		"Is the skipper liable for damage to the goods?",
		"What is the closed sky?",
		"How are barges moved in a calm?",
		"How much salvage does a rescuer receive?",
		"To whom does a kite found adrift belong?",
		"Who elects the dean of the guild?",
		"How many judges sit in the guild court?",
		"How old must an apprentice be?",
		"How long does a larch hull last?",
		"Why are bronze nails used below the waterline?",
	}
	strangeQuestions = []string{
		"What must an applicant show to qualify for asylum?",
		"How are steam engines lubricated?",
		"Which vitamins prevent scurvy on long voyages?",
		"What is the capital of Portugal?",
		"How do I reset the password of my router?",
		"When was the first printing press built in Europe?",
		"What is the boiling point of mercury?",
		"How does a glider pilot find thermals?",
		"Who may adopt a child from another country?",
		"What is the fine for parking in front of a hospital?",
		"Which anchor chain length does the insurance policy require?",
		"How many players are on a volleyball team?",
		"What causes inflation in a market economy?",
		"How is a submarine periscope sealed against pressure?",
		"When must a driver renew a motorcycle licence?",
		"Which yeast is used for baking rye bread?",
		"What does the constitution say about freedom of speech?",
		"How are diesel engines inspected for emissions?",
		"Who composed the opera about the flying Dutchman?",
		"What is the notice period for terminating a lease?",
		"How do whales communicate across oceans?",
		"Which court hears appeals about income tax?",
		"Is antibiotic treatment useful for a viral infection?",
	}
)

// Questions that the law primer answers, and questions that it does not.
var (
	lawQuestions = []string{
		"What are the elements of battery?",
		"What must a plaintiff prove to win a negligence claim?",
		"Can someone be liable for an offensive touching that causes no injury?",
		"When is a confession inadmissible because Miranda warnings were not given?",
		"Can the police search a car without a warrant?",
		"What is promissory estoppel?",
		"Which contracts must be in writing under the statute of frauds?",
		"What is the felony murder rule?",
		"Is an out-of-court statement offered for its truth admissible?",
		"What damages can a buyer recover when the seller breaches?",
		"When does the right to counsel attach?",
		"How does the exclusionary rule treat evidence found after an illegal search?",
		"What counts as a valid acceptance of an offer?",
		"What is the difference between robbery and theft?",
		"When is a manufacturer strictly liable for a defective product?",
		"May a person use deadly force in self-defense?",
		"How does transferred intent work?",
		"Is truth a defense to defamation?",
		"What makes a contract unconscionable?",
		"Can a minor get out of a contract?",
		"What are excited utterances?",
		"When does the attorney-client privilege apply?",
		"What is required for a conspiracy conviction?",
		"Can a third-party beneficiary sue to enforce a contract?",
		"What is the implied warranty of merchantability?",
		"How long may an officer detain a driver during a traffic stop?",
		"What is the parol evidence rule?",
		"When is a private nuisance actionable?",
		"What does proximate cause mean?",
		"What must be shown for false imprisonment?",
	}
	otherQuestions = []string{
		"What must an applicant show to qualify for asylum?",
		"How is capital gains tax calculated on the sale of a home?",
		"What are the requirements for a patent to be novel and nonobvious?",
		"Which debts are discharged in chapter 7 bankruptcy?",
		"How long should I boil pasta?",
		"What is the distance from the Earth to the Moon?",
		"Can an employer deduct meal expenses on a corporate tax return?",
		"What is the filing deadline for a trademark registration?",
		"How do I obtain a visa for a foreign spouse?",
		"What evidence must an asylum seeker present at the immigration hearing?",
		"When can a bankruptcy trustee avoid a preferential transfer to a creditor?",
		"What is the income tax rate for married couples?",
		"Does a patent holder have a right to damages for infringement?",
		"How many planets orbit the Sun?",
		"What temperature should a roast chicken reach in the oven?",
		"Who decides child custody after a divorce?",
		"What must a shareholder prove in an insider trading case?",
		"Is a merger subject to antitrust review?",
		"How are estate taxes assessed on a decedent's property?",
		"What is the penalty for late filing of an income tax return?",
		"Can a court garnish wages for unpaid alimony?",
		"What is the minimum wage for agricultural workers?",
		"How does photosynthesis convert light into sugar?",
		"Which vaccines are recommended for infants?",
		"What licenses does a broker need to sell securities?",
	}
)

// lawPrimer cuts the sample corpus into paragraphs, or skips the test.
func lawPrimer(t testing.TB) []state.Passage {
	t.Helper()
	return markdown(t, filepath.Join("..", "..", "case_studies", "corpora", "us-law-primer"))
}

// kiteBarge is the invented corpus.
func kiteBarge(t testing.TB) []state.Passage {
	t.Helper()
	return markdown(t, filepath.Join("testdata", "kitebarge"))
}

// markdown cuts the .md files below root into paragraphs; without any, it
// skips the test.
func markdown(t testing.TB, root string) []state.Passage {
	t.Helper()
	var out []state.Passage
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		source, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		out = append(out, paragraphs(filepath.ToSlash(source), string(data))...)
		return nil
	})
	if err != nil || len(out) == 0 {
		t.Skipf("no corpus at %s: %v", root, err)
	}
	return out
}

// paragraphs cuts a markdown text at blank lines.
func paragraphs(source, s string) []state.Passage {
	var out []state.Passage
	title, section, at := "", "", 0
	for _, block := range strings.SplitAfter(s, "\n\n") {
		start := at
		at += len(block)
		body := strings.TrimRight(block, "\n")
		for strings.HasPrefix(body, "#") {
			line, rest, _ := strings.Cut(body, "\n")
			if heading, ok := strings.CutPrefix(line, "# "); ok {
				title, section = heading, heading
			} else {
				section = title + " > " + strings.TrimLeft(line, "# ")
			}
			start += len(body) - len(rest)
			body = rest
		}
		if strings.TrimSpace(body) == "" || strings.HasPrefix(body, "*Teaching") {
			continue
		}
		out = append(out, state.Passage{
			ID: fmt.Sprintf("%s:%05d", source, start), Doc: source, Title: title, Section: section,
			Text: body, Start: start, End: start + len(body), Source: source,
		})
	}
	return out
}
