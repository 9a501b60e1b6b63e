package claims

import "example.com/assay/memory/text"

// finite are verb forms that make a clause.
var finite = text.Set(`is are was were be been am has have had do does did will would shall should must may might can could cannot
	isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't can't
	applies apply requires require required provides provide provided includes include included contains contain contained
	means mean meant says said states stated shows show showed makes make made gives give gave takes take took
	becomes become became remains remain remained needs need needed begins began starts started ends ended
	rises rose falls fell grows grew increases increased decreases decreased reduces reduced causes caused leads led
	holds held keeps kept pays paid sells sold buys bought receives received reaches reached covers covered
	allows allowed permits permitted prohibits prohibited costs cost runs ran lies lay stands stood
	moved wrote won lost joined died lived worked founded published signed opened closed built produced
	owns owned owes owed fails failed succeeds succeeded follows followed comes came goes went`)

// openers are the words that can open a subject.
var openers = text.Set(`the a an this that these those it he she they we its his her their our each every all both some many most
	several no neither either one two three four five six anyone everyone nobody someone such any`)

// subordinate words make the following words depend on the rest.
var subordinate = text.Set(`if when whenever unless because although though while whereas that who which whose whether
	since until before after where as provided`)

// connectives say nothing by themselves.
var connectives = text.Set(`however therefore moreover furthermore additionally nevertheless nonetheless consequently thus hence
	finally first firstly second secondly third thirdly lastly next then also meanwhile overall similarly likewise otherwise
	instead conversely in conclusion summary short addition contrast brief sum general particular to conclude summarize
	on the other hand as a result for example instance that said of course yes no and but or so well okay ok sure indeed`)

// adverbs join a clause to the previous one.
var adverbs = text.Set(`however therefore moreover furthermore nevertheless nonetheless consequently thus hence then
	meanwhile instead otherwise likewise similarly conversely but and`)

// orders are verbs that open an instruction to the reader.
var orders = text.Set(`see consult contact check note remember consider ask refer read please make ensure try click visit let keep
	feel review speak seek call look talk verify confirm avoid use follow compare be don't do stay go get take start`)

// opinions open a sentence with an opinion or an offer.
var opinions = []string{"i think", "i believe", "i feel", "i hope", "i would", "i'd ", "i'm ", "i am ", "i can", "i cannot", "i could",
	"i don't", "i do not", "i recommend", "i suggest", "i understand", "i see", "i apologize", "i apologise", "i have no",
	"in my opinion", "in my view", "to my mind", "personally", "as an ai", "it may be worth", "it might be worth", "it is worth",
	"it's worth", "it would be wise", "it may be wise", "it might be wise", "it may help", "it might help", "it is advisable",
	"it would be good", "it's a good idea", "it is a good idea", "you may want", "you might want", "you could", "you should", "you can ", "you may wish",
	"we recommend", "we suggest", "we hope", "perhaps", "maybe", "hopefully", "hope this", "let me", "let us", "let's", "feel free",
	"this is great", "great question", "good question", "happy to", "thank you", "thanks", "of course", "sure,", "sorry", "my pleasure",
	"here is", "here are", "here's", "below is", "below are", "the following is a", "this answer", "this summary", "to summarize", "to summarise"}

// templates are sentences with which an answer says that it is not one, or what it has chosen.
var templates = []string{"no passage answers this question", "no sufficient evidence", "your documents do not answer", "the passages do not answer", "the sources do not answer",
	"answer: none", "answer: (", "elements of the rule", "confidence 0", "confidence 1", "the provided context does not", "the context does not",
	"not enough information"}

// prefixes precede a fact and are not part of it.
var prefixes = []string{"note that ", "please note that ", "it should be noted that ", "it is important to note that ", "it is worth noting that ",
	"it's worth noting that ", "remember that ", "keep in mind that ", "i think that ", "i believe that ", "it is clear that "}
