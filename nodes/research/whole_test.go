package research

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/state"
)

func TestPartsOfAQuestion(t *testing.T) {
	for question, want := range map[string][]askKind{
		"What is a lantern?":                                           {askDefinition},
		"what's warp yarn":                                             {askDefinition},
		"What does dusk mean?":                                         {askDefinition},
		"What is meant by slack water?":                                {askDefinition},
		"How is a gale defined?":                                       {askDefinition},
		"What is the fee of a permit?":                                 {askIdentity},
		"What is required for keys?":                                   {askAnything},
		"Who is the harbour master?":                                   {askName},
		"Who is a bailee?":                                             {askDefinition},
		"Who is liable for a lost lantern?":                            {askPerson},
		"Who may approve a refund?":                                    {askPerson},
		"When does a permit expire?":                                   {askTime},
		"When was the lighthouse built?":                               {askDate},
		"In what year did the ferry sink?":                             {askDate},
		"Where are the keys kept?":                                     {askPlace},
		"How many winters does a permit last?":                         {askCount},
		"What fine does a smuggler pay?":                               {askCount},
		"May a minor hold a permit?":                                   {askDecision},
		"What is the difference between a sloop and a cutter?":         {askAnything, askAnything},
		"What is a sloop, and when must it carry a lantern?":           {askDefinition, askTime},
		"Who issues permits? How long does an issued permit last?":     {askPerson, askCount},
		"A sloop drifts ashore at night. Who pays for the quay?":       nil, // a story
		"lantern permit fee":                                           nil, // no question
		"Is a permit valid at sea and must it be shown to a warden?":   {askDecision},
		"What is a spring tide and how often does it come each month?": {askDefinition, askCount},
	} {
		var got []askKind
		for _, p := range partsOf(question) {
			got = append(got, p.kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has parts %v, want %v", question, got, want)
		}
	}
}

func TestMissingParts(t *testing.T) {
	for _, tc := range []struct {
		question, section, text string
		missing                 string // a part of what is missing; empty for nothing
	}{
		// A definition is a sentence whose subject is the term, not a mention.
		{"What is a lantern?", "", "A lantern is a lamp in a case that keeps out the wind.", ""},
		{"What is a lantern?", "", "In the harbour rules, a “lantern” (any lamp in a case) is a light that a boat shows.", ""},
		{"What is a lantern?", "", "The term lantern means any lamp in a case.", ""},
		{"What is a lantern?", "", "A lamp in a case is called a lantern.", ""},
		{"What is a lantern?", "", "Lanterns are used for signals at night.", ""},
		{"What is a lantern?", "Rules > Lantern", "Any lamp in a case is one, whoever carries it.", ""},
		{"What is a lantern?", "", "The keeper may retain a boat whose lantern is unlit.", `what "lantern" is`},
		{"What is a lantern?", "", "The lantern is unlit when the wind is strong.", `what "lantern" is`},
		{"What is a lantern?", "", "The fee for a lantern is a shilling.", `what "lantern" is`},
		{"What is a lantern?", "", "Loss of a lantern is an offence.", `what "lantern" is`},
		{"What is slack water?", "", "Slack water is the short time between two tides.", ""},
		{"What is slack water?", "", "Water is a liquid, and slack rope is a danger.", `what "slack water" is`},
		{"What is slack water?", "", "Times of the tide are:\n\nslack water\nNo tide runs for less than an hour.", ""},
		{"What is slack water?", "", "Slack water is described as the time\nthat lies between two tides.", ""},
		{"In the harbour, what is slack water?", "", "Slack water is the short time between two tides.", ""},
		{"In the harbour, what is slack water?", "", "Slack water is dangerous.", `what "slack water" is`},
		// What holds in X is a definition where X is a headword, else a mention.
		{"What is storm mode?", "Lamps > Setting Storm Mode", "In storm mode, the lamp burns behind two shutters.", ""},
		{"What is storm mode?", "Lamps", "In storm mode, the lamp burns behind two shutters.", `what "storm mode" is`},
		{"What is storm mode?", "Lamps > Setting Storm Mode", "The lamp is dearer in storm mode, as oil is.", `what "storm mode" is`},
		// What says which abbreviation a name has defines both.
		{"What is the MOB?", "", "A red flag is raised for a man overboard (MOB) at sea.", ""},
		{"What is a MOB?", "", "A man overboard (MOB) is a seaman who fell into the water. A MOB is wet.", ""},
		{"What is a MOB?", "", "A man overboard shouts, and the MOB (see there) is wet.", `what "mob" is`},
		{"What is a man overboard?", "", "Seamen fear the man overboard (MOB). A MOB is a seaman who fell into the water.", ""},
		{"What is a man overboard?", "", "Seamen fear the man overboard (MOB). The MOB is wet.", `what "man overboard" is`},
		{"What is a tide book?", "", "Each page has a tide book number that is a count of moons.", `what "tide book" is`},
		{"What is a tide number?", "", "Each page has a tide number that is a count of moons.", ""},
		{"What does MOB stand for?", "", "MOB stands for man overboard.", ""},
		// Who is a name, or a role.
		{"Who is the harbour master?", "", "The harbour master, Ada Moor, lives at the quay.", ""},
		{"Who is the harbour master?", "", "A captain may appeal to the harbour master.", `who "harbour master" is`},
		{"Who issues permits?", "", "Permits are issued by the warden.", ""},
		{"Who issues permits?", "", "Permits are issued on vellum.", "who it is"},
		// When, where and how many want a span of that type, about the thing.
		{"When does a permit expire?", "", "A permit expires after two winters.", ""},
		{"When does a permit expire?", "", "A permit expires.", "when it is so"},
		{"When was the lighthouse built?", "", "The lighthouse was built in 1788.", ""},
		{"When was the lighthouse built?", "", "The lighthouse was built when the harbour grew.", "a date"},
		{"When was the lighthouse built?", "", "The lighthouse was built by plan LH-1788-12.", "a date"},
		{"When was the lighthouse built?", "", "The lighthouse was built on 1788-05-01.", ""},
		{"How many winters does a permit last?", "", "A permit lasts two winters.", ""},
		{"How many winters does a permit last?", "", "A permit lasts through winters of calm.", "a number"},
		{"How many winters does a permit last?", "", "The quay has two cranes. A permit lasts through winters.", "a number"},
		{"Where are the keys of the gate kept?", "", "The keys of the gate are kept in the lodge.", ""},
		// A yes or no wants a sentence that decides.
		{"May a minor hold a permit?", "", "A minor may not hold a permit.", ""},
		{"May a minor hold a permit?", "", "Weather: minor. Permit: one.", "decides it"},
		{"May a minor hold a permit for a sloop?", "", "A sloop carries two lanterns.", "decides it"},
		// Each side of a comparison, each question of several.
		{"What is the difference between a sloop and a cutter?", "", "A sloop has one mast. A cutter has two headsails.", ""},
		{"What is the difference between a sloop and a cutter?", "", "A sloop has one mast.", `a passage on "a cutter"`},
		{"What is a sloop, and how many masts does it have?", "", "A sloop is a boat with one mast.", ""},
		{"What is a sloop, and what is a lugger?", "", "A sloop is a boat with one mast.", `what "lugger" is`},
		// An identifier has no synonym.
		{"What is the default of wick_length?", "", "The default of flame_height is 3.", `names "wick_length"`},
		{"When was Harbour 17 released?", "", "Harbour 15 was released on 1 May 1999.", `names "harbour 17"`},
		// One letter mistyped in a long word is no other word.
		{"How many winters does a permitt last?", "", "A permit lasts two winters.", ""},
		{"What is a line?", "", "A lien is a charge on goods.", `what "line" is`},
		{"lantern permit", "", "Nothing.", ""},
	} {
		section := tc.section
		parts, missing := missingParts(tc.question, "", []state.Passage{{ID: "p", Title: "Harbour", Section: section, Text: tc.text}})
		got := strings.Join(missing, "; ")
		if tc.missing == "" && got != "" || tc.missing != "" && !strings.Contains(got, tc.missing) {
			t.Errorf("%q of %q: missing %q, want %q (%d parts)", tc.question, tc.text, got, tc.missing, parts)
		}
	}
}

// The answer itself counts, too.
func TestTheAnswerIsReadForParts(t *testing.T) {
	question, passage := "What is a lantern?", []state.Passage{{Text: "The lantern is unlit."}}
	if _, missing := missingParts(question, "- A lantern is a lamp in a case. [Source 1]", passage); missing != nil {
		t.Errorf("missing %q", missing)
	}
	if _, missing := missingParts(question, "- The lantern is unlit. [Source 1]", passage); len(missing) != 1 {
		t.Errorf("missing %q", missing)
	}
}

func TestGateIsMadeOfTheQuestions(t *testing.T) {
	got := fmt.Sprint(gate("A sloop drifts ashore at night in a gale. Who pays for the broken quay?", "Who owns what drifts ashore?"))
	for _, want := range []string{"A sloop drifts ashore", "sloop drifts ashore night gale", "Who owns what drifts ashore?"} {
		if !strings.Contains(got, want) {
			t.Errorf("the gate %s does not hold %q", got, want)
		}
	}
	if got := gate("Who pays?\nA. The tenant.\nB. The owner.", "who pays"); len(got) != 1 || strings.Contains(fmt.Sprint(got), "tenant") {
		t.Errorf("the gate holds the options, or one question twice: %q", got)
	}
}

func FuzzMissingParts(f *testing.F) {
	f.Add("What is a lantern, and who may “hold” one?", "A lantern (lamp) is a light.")
	f.Add("how many?", "“”(")
	f.Fuzz(func(t *testing.T, question, text string) {
		parts, missing := missingParts(question, text, []state.Passage{{Text: text, Section: question}})
		if len(missing) > parts {
			t.Errorf("%d of %d parts are missing", len(missing), parts)
		}
	})
}
