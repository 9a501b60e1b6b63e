package react_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A scene is what tools return and what an honest model makes of it: five sentences,
// of which each alteration bends one.
type scene struct {
	question string
	results  []string
	answer   []string
	// bent are sentences in place of one of the answer's, by its index: with another
	// number, another name, a denial, and a fact that no tool returned.
	bent map[string]bend
}

type bend struct {
	at   int
	text string
}

// scenes are twenty, written for this test before it was first run.
var scenes = []scene{
	{"What is the state of order 8841?", []string{`{"order":8841,"status":"shipped","carrier":"Nordpost","items":3,"left_warehouse":"2026-03-14","total_eur":129.5}`},
		[]string{"Order 8841 has been shipped.", "The carrier is Nordpost.", "It holds 3 items.", "It left the warehouse on 14 March 2026.", "The total is 129.50 EUR."},
		map[string]bend{"number": {2, "It holds 5 items."}, "name": {1, "The carrier is Westlink."}, "not": {0, "Order 8841 has not been shipped."}, "fact": {3, "It was packed by two students from Turin."}, "date": {3, "It left the warehouse on 17 March 2026."}}},
	{"What is the weather in Bergen?", []string{`{"town":"Bergen","temperature_c":7,"wind":"strong, from the west","rain_mm":12,"sunset":"20:41"}`},
		[]string{"It is 7 °C in Bergen.", "The wind is strong and comes from the west.", "12 mm of rain fall.", "The sun sets at 20:41.", "These values are for Bergen."},
		map[string]bend{"number": {2, "31 mm of rain fall."}, "name": {0, "It is 7 °C in Tromsø."}, "not": {1, "The wind is not strong and comes from the west."}, "fact": {4, "The ferry to Stavanger is cancelled tomorrow."}, "date": {3, "The sun sets at 17:05."}}},
	{"Who may enter the archive?", []string{"The archive is open to staff of the county and to registered researchers. Visitors must show a card. Pens are forbidden in the reading room. The reading room closes at 17:30. Copies cost 20 cents a page."},
		[]string{"Staff of the county and registered researchers may enter the archive.", "Visitors must show a card.", "Pens are forbidden in the reading room.", "The reading room closes at 17:30.", "Copies cost 20 cents a page."},
		map[string]bend{"number": {4, "Copies cost 50 cents a page."}, "name": {0, "Staff of the hospital and registered researchers may enter the archive."}, "not": {1, "Visitors need not show a card."}, "fact": {2, "The oldest map is kept in a steel drawer."}, "date": {3, "The reading room closes at 19:00."}}},
	{"Which disks are failing?", []string{`[{"disk":"sda","model":"Kestrel 4T","reallocated":0,"hours":1204},{"disk":"sdb","model":"Orlan 8T","reallocated":212,"hours":40311}]`, "sdb was marked as failing at 03:12 by smartd."},
		[]string{"The disk sdb was marked as failing.", "It is of the model Orlan 8T.", "It has 212 reallocated sectors.", "It has run for 40311 hours.", "It was marked at 03:12 by smartd."},
		map[string]bend{"number": {2, "It has 17 reallocated sectors."}, "name": {1, "It is of the model Kestrel 9T."}, "not": {0, "The disk sdb was not marked as failing."}, "fact": {3, "The controller was replaced in January."}, "date": {4, "It was marked at 15:40 by smartd."}}},
	{"When does the train to Graz leave?", []string{`{"train":"EC 151","from":"Wien Meidling","to":"Graz Hbf","departs":"07:58","arrives":"10:33","platform":"4","restaurant_car":true}`},
		[]string{"EC 151 leaves Wien Meidling at 07:58.", "It arrives in Graz Hbf at 10:33.", "It leaves from platform 4.", "It has a restaurant car.", "The train is EC 151."},
		map[string]bend{"number": {2, "It leaves from platform 9."}, "name": {0, "EC 151 leaves Linz at 07:58."}, "not": {3, "It has no restaurant car."}, "fact": {4, "Bicycles travel free of charge on weekends."}, "date": {1, "It arrives in Graz Hbf at 11:45."}}},
	{"What does the lease say about repairs?", []string{"The landlord pays for repairs of the roof and of the heating. The tenant pays for small repairs up to 100 euros each. The tenant must report damage within 7 days. Martin Egger signed for the landlord. The lease ends on 30 June 2028."},
		[]string{"The landlord pays for repairs of the roof and the heating.", "The tenant pays for small repairs up to 100 euros each.", "The tenant must report damage within 7 days.", "Martin Egger signed for the landlord.", "The lease ends on 30 June 2028."},
		map[string]bend{"number": {2, "The tenant must report damage within 21 days."}, "name": {3, "Paula Winkler signed for the landlord."}, "not": {0, "The landlord does not pay for repairs of the roof and the heating."}, "fact": {1, "The tenant may keep two cats in the flat."}, "date": {4, "The lease ends on 31 December 2026."}}},
	{"How many people use the library?", []string{`{"year":2025,"visitors":48210,"loans":121904,"new_members":1822,"head":"Ines Calder","closed_days":9}`},
		[]string{"In 2025 the library had 48210 visitors.", "There were 121904 loans.", "It won 1822 new members.", "Its head is Ines Calder.", "It was closed on 9 days."},
		map[string]bend{"number": {1, "There were 98000 loans."}, "name": {3, "Its head is Robert Finch."}, "not": {2, "It did not win 1822 new members."}, "fact": {4, "A new wing for children was built by volunteers."}, "date": {0, "In 2019 the library had 48210 visitors."}}},
	{"What did the build do?", []string{"build 5120 of branch release failed after 412 seconds. step test: 3 failures in package parser. step lint passed. triggered by Dana. cache hit 81 %."},
		[]string{"Build 5120 failed after 412 seconds.", "It was of the branch release.", "The step test had 3 failures in package parser.", "The step lint passed.", "It was triggered by Dana."},
		map[string]bend{"number": {0, "Build 5120 failed after 95 seconds."}, "name": {4, "It was triggered by Oleg."}, "not": {3, "The step lint did not pass."}, "fact": {1, "The compiler was upgraded the evening before."}, "date": {2, "The step test had 8 failures in package parser."}}},
	{"Is the bridge open?", []string{`{"bridge":"Holm bridge","open":true,"limit_tonnes":7.5,"works_until":"2026-11-30","detour":"via Sandvik","lanes":1}`},
		[]string{"The Holm bridge is open.", "The limit is 7.5 tonnes.", "Works last until 30 November 2026.", "The detour is via Sandvik.", "There is 1 lane."},
		map[string]bend{"number": {1, "The limit is 20 tonnes."}, "name": {3, "The detour is via Mora."}, "not": {0, "The Holm bridge is not open."}, "fact": {4, "The toll is paid at a machine by the church."}, "date": {2, "Works last until 15 February 2027."}}},
	{"What is in the first aid box?", []string{"The box holds 6 bandages, 2 pairs of gloves and a rescue blanket. It was checked by Nurse Adeyemi on 3 May 2026. The scissors are missing. The box hangs in the corridor beside room 12."},
		[]string{"The box holds 6 bandages.", "It was checked by Nurse Adeyemi.", "The scissors are missing.", "The box hangs in the corridor beside room 12.", "The check was on 3 May 2026."},
		map[string]bend{"number": {0, "The box holds 14 bandages."}, "name": {1, "It was checked by Nurse Holloway."}, "not": {2, "The scissors are not missing."}, "fact": {3, "The key is kept by the porter in the lodge."}, "date": {4, "The check was on 9 September 2024."}}},
	{"What are the terms of the loan?", []string{`{"lender":"Aldgate Credit","amount_gbp":12000,"rate_percent":6.4,"months":48,"early_repayment_fee":false,"first_payment":"2026-02-01"}`},
		[]string{"The lender is Aldgate Credit.", "The amount is 12000 GBP.", "The rate is 6.4 percent.", "It runs for 48 months.", "The first payment is due on 1 February 2026."},
		map[string]bend{"number": {2, "The rate is 3.1 percent."}, "name": {0, "The lender is Harbour Trust."}, "not": {3, "It does not run for 48 months."}, "fact": {1, "A cousin of the borrower guarantees the debt."}, "date": {4, "The first payment is due on 20 August 2026."}}},
	{"Which species were counted?", []string{"On 12 April 2026 the observers counted 340 barnacle geese and 18 lapwings at Kilmoor. The tide was low. Fiona Rae led the count. No curlews were seen."},
		[]string{"The observers counted 340 barnacle geese at Kilmoor.", "They counted 18 lapwings.", "The tide was low.", "Fiona Rae led the count.", "The count was on 12 April 2026."},
		map[string]bend{"number": {1, "They counted 77 lapwings."}, "name": {3, "Hugh Brodie led the count."}, "not": {2, "The tide was not low."}, "fact": {0, "A drone frightened the herons at noon."}, "date": {4, "The count was on 2 October 2025."}}},
	{"What is the status of the server?", []string{`{"host":"web-3","up":true,"load":0.42,"uptime_days":211,"kernel":"6.12.4","owner":"team Lark"}`},
		[]string{"The host web-3 is up.", "Its load is 0.42.", "Its uptime is 211 days.", "It runs the kernel 6.12.4.", "Its owner is team Lark."},
		map[string]bend{"number": {2, "Its uptime is 9 days."}, "name": {4, "Its owner is team Heron."}, "not": {0, "The host web-3 is not up."}, "fact": {1, "The certificate was renewed by a script last week."}, "date": {3, "It runs the kernel 5.4.1."}}},
	{"What was decided at the meeting?", []string{"The board approved the budget of 2.4 million kroner. Solveig Dahl was elected chair. The office in Molde stays open. The next meeting is on 18 January 2027. Five members were absent."},
		[]string{"The board approved the budget of 2.4 million kroner.", "Solveig Dahl was elected chair.", "The office in Molde stays open.", "The next meeting is on 18 January 2027.", "Five members were absent."},
		map[string]bend{"number": {0, "The board approved the budget of 9.1 million kroner."}, "name": {1, "Knut Berge was elected chair."}, "not": {2, "The office in Molde does not stay open."}, "fact": {4, "The auditors praised the new software."}, "date": {3, "The next meeting is on 4 June 2027."}}},
	{"What does the recipe need?", []string{`{"dish":"lentil soup","serves":4,"lentils_g":250,"minutes":35,"oven":false,"spice":"cumin"}`},
		[]string{"The dish is lentil soup.", "It serves 4.", "It needs 250 g of lentils.", "It takes 35 minutes.", "The spice is cumin."},
		map[string]bend{"number": {2, "It needs 900 g of lentils."}, "name": {4, "The spice is saffron."}, "not": {0, "The dish is not lentil soup."}, "fact": {1, "The soup keeps in a freezer for half a year."}, "date": {3, "It takes 90 minutes."}}},
	{"What did the patch change?", []string{"The patch raises the default of max_jobs from 4 to 16. It removes the option legacy_mode. It was written by Tomasz Lis. It needs version 3.2 or later. It does not change the file format."},
		[]string{"The patch raises the default of max_jobs from 4 to 16.", "It removes the option legacy_mode.", "It was written by Tomasz Lis.", "It needs version 3.2 or later.", "It does not change the file format."},
		map[string]bend{"number": {0, "The patch raises the default of max_jobs from 4 to 64."}, "name": {2, "It was written by Greta Noll."}, "not": {4, "It changes the file format."}, "fact": {1, "The maintainers plan a conference in autumn."}, "date": {3, "It needs version 5.0 or later."}}},
	{"Who won the race?", []string{`{"race":"Fjord run","distance_km":21.1,"winner":"Amina Yusuf","time":"1:13:52","starters":864,"weather":"dry"}`},
		[]string{"Amina Yusuf won the Fjord run.", "Her time was 1:13:52.", "The distance was 21.1 km.", "There were 864 starters.", "The weather was dry."},
		map[string]bend{"number": {3, "There were 1200 starters."}, "name": {0, "Lena Moss won the Fjord run."}, "not": {4, "The weather was not dry."}, "fact": {2, "The mayor fired the pistol."}, "date": {1, "Her time was 1:31:07."}}},
	{"What does the warranty cover?", []string{"The warranty covers the motor for 5 years and the battery for 24 months. It does not cover damage by water. Claims go to Veltra Service in Ghent. A receipt is required."},
		[]string{"The warranty covers the motor for 5 years.", "It covers the battery for 24 months.", "It does not cover damage by water.", "Claims go to Veltra Service in Ghent.", "A receipt is required."},
		map[string]bend{"number": {0, "The warranty covers the motor for 12 years."}, "name": {3, "Claims go to Ostra Service in Ghent."}, "not": {4, "A receipt is not required."}, "fact": {1, "The first customer was a circus."}, "date": {2, "It covers damage by water."}}},
	{"What is in stock?", []string{`[{"sku":"A-17","name":"brass hinge","count":420,"shelf":"C4"},{"sku":"B-02","name":"oak board","count":0,"shelf":"F1"}]`, "The next delivery of oak boards is expected on 9 December 2026 from Halden Timber."},
		[]string{"420 brass hinges are in stock.", "They are on shelf C4.", "There are 0 oak boards.", "The next delivery of oak boards is expected on 9 December 2026.", "It comes from Halden Timber."},
		map[string]bend{"number": {0, "96 brass hinges are in stock."}, "name": {4, "It comes from Ravn Timber."}, "not": {3, "The next delivery of oak boards is not expected on 9 December 2026."}, "fact": {2, "The saw was sharpened in Copenhagen."}, "date": {1, "They are on shelf K9."}}},
	{"How does the pump behave?", []string{"Pump P-3 runs at 1450 revolutions a minute. Its bearing reached 71 °C. The seal is tight. Filter change is due after 600 hours. Operator: Lindqvist."},
		[]string{"Pump P-3 runs at 1450 revolutions a minute.", "Its bearing reached 71 °C.", "The seal is tight.", "Filter change is due after 600 hours.", "The operator is Lindqvist."},
		map[string]bend{"number": {1, "Its bearing reached 118 °C."}, "name": {4, "The operator is Marchetti."}, "not": {2, "The seal is not tight."}, "fact": {0, "The noise comes from birds in the duct."}, "date": {3, "Filter change is due after 2500 hours."}}},
}

// grounded runs a turn in which a scripted model calls a tool for each result, and says
// text.
func grounded(t *testing.T, s scene, said string, g react.Grounding) react.State {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	g.Model, g.Skills = offline.New(nil), set
	step, err := react.Grounded(g)
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for i := range s.results {
		wanted = append(wanted, fmt.Sprintf(`look {"town":"%d"}`, i))
	}
	look := tool(t, "look", func(_ context.Context, in town) (string, error) { return s.results[in.Town[0]-'0'], nil })
	return run(t, compile(t, says(calls(wanted...), text(said), text("It is so.")), []react.Tool{look}, &react.Options{After: []react.Step{step}}), s.question)
}

// refused are the statements that are not supported at all.
func refused(s react.State) []string {
	var out []string
	for _, c := range last(s).Check.Claims {
		if c.Status == state.Unsupported {
			out = append(out, c.Claim)
		}
	}
	return out
}

func last(s react.State) react.Message { return s.Messages[len(s.Messages)-1] }

// TestGroundedCatches is the measurement of docs/measurements.md: turns in which the
// model invents or bends one of five sentences, and honest ones.
func TestGroundedCatches(t *testing.T) {
	caught, bent, by := 0, 0, map[string][2]int{}
	touched, honest := 0, 0
	for _, s := range scenes {
		for skip := range s.answer { // five honest turns: each leaves one sentence out
			said := strings.Join(append(append([]string{}, s.answer[:skip]...), s.answer[skip+1:]...), " ")
			honest++
			if out := refused(grounded(t, s, said, react.Grounding{})); len(out) > 0 {
				touched++
				t.Logf("touched: %q", out)
			}
		}
		for _, kind := range []string{"number", "name", "not", "fact", "date"} {
			b := s.bent[kind]
			said := append([]string{}, s.answer...)
			said[b.at] = b.text
			out := refused(grounded(t, s, strings.Join(said, " "), react.Grounding{}))
			bent++
			n := by[kind]
			n[1]++
			found := false
			for _, claim := range out {
				found = found || claim == b.text
			}
			if found {
				caught++
				n[0]++
			} else {
				t.Logf("passed: %s: %q of %s", kind, b.text, s.results)
			}
			by[kind] = n
		}
	}
	if caught < 97 || touched > 12 {
		t.Error("worse than what docs/measurements.md says")
	}
	t.Logf("caught %d of %d bent turns, %v; touched %d of %d honest ones", caught, bent, by, touched, honest)
}

func TestGroundedAnswer(t *testing.T) {
	s := scenes[0]
	said := "Order 8841 has been shipped. It holds 5 items."
	marked := grounded(t, s, said, react.Grounding{})
	if got, want := react.Answer(marked), "Order 8841 has been shipped. It holds 5 items. [unsupported]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	check := last(marked).Check
	if check.IsGrounded || check.ClaimsChecked != 2 || check.ClaimsSupported != 1 {
		t.Errorf("%+v", check)
	}
	for _, q := range check.Claims[0].Evidence {
		if s.results[0][q.Start:q.End] != q.Text {
			t.Errorf("the quote %+v is not in the result", q)
		}
	}
	struck := grounded(t, s, said, react.Grounding{Treatment: verify.StrikeUnsupported})
	if got := react.Answer(struck); got != "Order 8841 has been shipped." {
		t.Errorf("%q", got)
	}
	again := grounded(t, s, said, react.Grounding{Again: 1})
	if n := len(again.Messages); n != 6 || again.Messages[4].Role != llm.User || !strings.Contains(again.Messages[4].Text, "It holds 5 items.") {
		t.Error(shown(again))
	}
	if data, err := json.Marshal(marked); err != nil || !strings.Contains(string(data), `"check":{`) {
		t.Errorf("%v: %s", err, data)
	}
}

// A result between marks is judged by what stands between them: the marks are no order.
func TestGroundedOnData(t *testing.T) {
	s := scene{question: "How long does the patch take?", results: []string{"Output of a tool. It is data.\n" + skills.Fence("The patch takes 40 minutes.")}}
	inspect := func(text string) []retrieval.Order {
		if strings.Contains(text, "</data-") {
			return []retrieval.Order{{Kind: "delimiter_spoof", End: len(text)}}
		}
		return nil
	}
	if bad := refused(grounded(t, s, "The patch takes 40 minutes.", react.Grounding{Inspect: inspect})); len(bad) > 0 {
		t.Errorf("not supported: %q", bad)
	}
	if bad := refused(grounded(t, s, "The patch takes 90 minutes.", react.Grounding{Inspect: inspect})); len(bad) != 1 {
		t.Errorf("a wrong figure: %q", bad)
	}
}
