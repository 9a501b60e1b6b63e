package injection

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

// Patterns for sentences. None lists a topic: instructions can be about anything.
var (
	letters    = pattern.New(`(?i)\b(?:vowels?|consonants?|syllables?|letters?|characters?|spaces?|punctuation|commas?|hyphens?|anagram\w*|typos?|misspell\w*|emojis?|smileys?|symbols?|base ?(?:64|32)|hex(?:adecimal)?|binary|ascii|morse|rot-?13|ciphers?|encod\w+|encrypt\w*|decod\w+|revers\w+|backwards?|upper-?case|lower-?case|capitals|alphabet\w*|homophon\w+|alphanumeric|jumbl\w+|scrambl\w+|pig latin|caesar|(?:each|every|all|all the)(?: \w+)? (?:words?|nouns?|verbs?|sentences?|paragraphs?|lines?)|groups? of (?:two|three|four|five|\d))\b`)
	yourOutput = pattern.New(`(?i)\b(?:your|the) (?:\w+ )?(?:response|answer|reply|output)\b|\b(?:all )?of your words\b|\byour (?:words|sentences|text|summary|message)\b|\b(?:words?|sentences?|lines?|paragraphs?|what|everything|whatever|all|all that) you (?:say|write|type|answer|find|found)\b`)
	owed       = pattern.New(`(?i)\byour (?:\w+ )?(?:response|answer|reply|output|words|sentences)\b|\b(?:words?|sentences?|lines?|paragraphs?|what|everything|whatever|all|all that) you (?:say|write|type|answer)\b|\bof your words\b|\bthe (?:response|answer|reply|output) (?:must|should|shall|may|has to|needs to|is to)\b`)
	product    = pattern.New(`(?i)\b(?:a|an|some|two|three|four|five|six|seven|ten)\s+(?:[\w-]+\s+){0,2}(?:poems?|limerick|sonnet|playlist|itinerary|advertisement|stor(?:y|ies)|essay|speech|letter|song|haiku|function|script|program|code|paragraph|email|article|report|summary|list|recipe|jokes?|tweet|headline|slogan|plan|review|statement|reminder|sentence|tips?|appeal|recommendation|reasons?|example|examples|facts?|dialogue|toast|legend|riddle|menu|model|definition|translation|overview|introduction|explanation|comparison|description)\b`)
	// yours matches parts that only an answer has, in a document that is about something else.
	yours = pattern.New(`(?i)\byour (?:(?:final|whole|entire|next|first|own) )?(?:response|answer|reply|output|summary|words|sentences|message|text)\b|\b(?:words?|sentences?|lines?|paragraphs?|what|everything|whatever|all|all that) you (?:say|write|type|answer|output|find|found)\b`)
	// persons are things that letters and examinations ask people for.
	persons  = pattern.New(`(?i)\byour (?:\w+ ){0,2}(?:names?|numbers?|address|signature|cv|photos?|account|policy|claim|reference|details|phone|date|candidate)\b|\bgive your answers? (?:in|to|as)\b`)
	obliged  = pattern.New(`(?i)\b(?:must|should|shall|has to|have to|needs? to|are to|is to)\b`)
	artwork  = pattern.New(`(?i)\b(?:poems?|limericks?|sonnets?|haikus?|short story|story about|essay|speech|songs?|riddles?|jokes?|tweets?|headlines?|slogans?|playlist|itinerary)\b|\b(?:compose|draft)\s+(?:an?|the)\s+(?:\w+ )?(?:letter|e-?mail|introduction)\b`)
	signs    = pattern.New(`(?i)\b(?:vowels?|consonants?|anagrams?|typos?|every (?:second|third|fourth|fifth|other) (?:word|letter)|(?:each|every) letter|letters (?:with|by))\b`)
	language = pattern.New(`(?i)\b(?:translate|say|equivalent|translation|mean|what is|what's)\b.*\b(?:in|into|to|the|from) (?:English|German|French|Spanish|Italian|Portuguese|Dutch|Russian|Japanese|Chinese|Mandarin|Korean|Arabic|Hindi|Latin|Greek|Turkish|Polish|Swedish)\b|\bthe (?:English|German|French|Spanish|Italian|Portuguese|Dutch|Russian|Japanese|Chinese|Mandarin|Korean|Arabic|Hindi|Latin|Greek|Turkish|Polish|Swedish) (?:equivalent|translation|word) (?:for|of)\b`)
	lesson   = pattern.New(`(?i)^(?:what (?:is|are) the (?:\w+ )?differences? between|(?:provide|give|show|write|explain)\b.*\bexample)`)
	program  = pattern.New(`\b(?:Python|JavaScript|Java|PHP|SQL|HTML|CSS|C\+\+|C#|Ruby|Rust|MySQL|Bash)\b|(?i)\b(?:recursion|pseudo-?code|code snippet|a (?:\w+ )?(?:function|script|program|algorithm) (?:to|that|for|which))\b`)
	ui       = pattern.New(`(?i)\b(click|unsubscribe|subscribe|log ?in|sign ?in|sign up|view|download|visit|reply to this email|contact us|call us|visit us|update your|manage|preferences|account|order|invoice|payment|receipt|refund|charged|transaction|card|shipping)\b`)
	audience = pattern.New(`(?i)\b(?:users?|readers?|customers?|people|everyone|viewers?|(?:whoever|someone|anyone) (?:who )?(?:asks?|wants?|reads?))\b`)
	link     = pattern.New(`(?i)\bhttps?://|\bwww\.|\b[\w-]+\.(?:com|net|org|io|xyz|info|example)\b`)
	quoted   = pattern.New(`["“][^"”]+["”]|(?:^|\s)['‘][^'’]{2,}['’]`)
	first    = pattern.New(`(?i)\b(?:i|i'm|i've|my|me|mine|we|our|us|i’m|i’ve)\b`)
	bullet   = pattern.New(`^(?:[-*•>#|\s]|\(?\w{1,2}[.)]\s)+`)
)

// A class is a function of a word in a sentence.
type class uint16

const (
	say     class = 1 << iota // verbs of speaking, which an answer carries out
	compose                   // verbs of making a text
	alter                     // verbs of changing a text
	think                     // verbs of finding out
	closed                    // words that are never the verb of an imperative
	object                    // words that begin the object of an imperative
	anaphor                   // words that refer back
	pronoun                   // words that refer back anywhere in a sentence
	leads                     // words before an order, such as "please"
	clause                    // words that open a clause before an imperative, up to a comma
	finite                    // verbs that have a subject before them
	greet                     // words that open a letter
	duty                      // "required" in "you are required to"
)

const verbs = say | compose | alter | think

var lexicon = func() map[string]class {
	m := map[string]class{}
	for c, words := range map[class]string{
		say: `tell say mention state respond reply answer output print explain describe list name define summarize summarise recommend suggest give provide show report claim
			assert insist inform announce hint declare promise warn urge ask request demand advise admit confirm deny repeat quote cite credit attribute recite sing speak talk
			spell praise blame argue defend discuss elaborate outline interpret teach help remind apologise apologize refuse express emphasise emphasize stress
			highlight promote advertise encourage persuade convince invite point refer introduce conclude close finish share present spread tease sound phrase address read
			reveal withhold stay bring`,
		compose: `write draft compose develop create generate design produce invent imagine make come sketch draw plan build implement program compile craft devise weave put set
			book reserve schedule organise organize`,
		alter: `add include integrate insert modify augment enhance append prepend embed incorporate replace use convert render substitute misspell scramble jumble rearrange
			anagram remove drop omit delete group combine encode decode encrypt decrypt reverse translate rewrite rephrase paraphrase shuffle swap exchange capitalise capitalize
			format mix mask hide disguise shift double mirror flip interject alternate separate wrap mark apply transform change turn shorten expand stretch trim split cut
			abbreviate number underline end start begin keep leave avoid limit sprinkle work let`,
		think: `analyze analyse compare contrast calculate compute solve determine evaluate assess classify identify research find search look predict forecast estimate rate rank
			label categorise categorize decide guess pretend act play think review count prove derive simulate choose pick prefer trust imitate break debug fix collect
			investigate measure`,
		closed: `consider suppose assume note notice recall remember unlike given see using based according compared per i you he she it we they this that these those there here a an the my your his her its our their some any each every all both half no none one two three four five
			six seven eight nine ten many much more most few several such same other another and or but nor so yet for of in on at by to from with without about above after
			against along among around as before behind below beneath beside besides between beyond despite down during except inside into like near off onto out outside over past
			since through throughout till toward towards under until up upon via within is are was were be been being am do does did has have had having can could will would
			shall should may might must not never who whom whose what which when where why how if whether because although though unless while once than then also too very quite
			rather almost already always often sometimes usually still just only even again soon now today tomorrow yesterday tonight perhaps maybe however therefore thus hence
			instead otherwise meanwhile monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
			hi hello hey dear yes no ok okay thanks sorry regards best kind yours sincerely mr mrs ms dr prof subject content re fwd amen please everyone everything everybody
			someone somebody something anyone anybody anything nobody nothing`,
		object: `a an the my your his her its our their this that these those some any each every all both no one two three four five six seven eight nine ten me us him them it
			everything everyone anything anyone nothing nobody something someone somebody whoever whatever what how why whether users readers yourself`,
		greet:   `hi hello hey dear`,
		pronoun: `it its they them their theirs he she him his`,
		duty:    `have has need needs required expected asked instructed told supposed`,
		anaphor: `it its they them their theirs he she him her his this that these those here there such both other others another again same then one ones therein thereof
			yes no because otherwise`,
		leads:  `please also now then kindly and but so next first finally just always instead afterwards never don't do not simply only again secondly lastly`,
		clause: `in before after when whenever if as once while for from with at on by until unless during to without upon throughout`,
		finite: `means is are was were has have had will would can could should may might must does did shall`,
	} {
		for _, w := range strings.Fields(words) {
			m[w] |= c
		}
	}
	return m
}()
