package followup_test

import (
	"testing"

	"example.com/assay/memory/text/followup"
)

// A question that leans on the one before is made to stand alone.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ before, head, asked, want string }{
		{"What is the default value of max_connections?", "", "and how do I change it?", "how do I change max_connections?"},
		{"What is the default value of max_connections?", "", "what about shared_buffers?", "what is the default value of shared_buffers?"},
		{"What is the default value of max_connections?", "", "Why?", "Why is it the default value of max_connections?"},
		{"What is the default of work_mem?", "", "and the maximum?", "what is the maximum of work_mem?"},
		{"Which parameter limits the number of sessions?", "session_limit (integer)", "Can a normal user change it?", "Can a normal user change session_limit?"},
		{"Which parameter limits the number of sessions?", "", "how do I raise it?", "how do I raise the parameter that limits the number of sessions?"},
		{"How do I create an index on a table?", "", "ok, and how do I drop it?", "how do I drop an index?"},
		{"How do I rename a branch?", "", "how do I undo that?", "how do I undo renaming a branch?"},
		{"Can a tenant sublet a room?", "", "why not?", "why can't a tenant sublet a room?"},
		{"How do I install a package?", "", "and on Windows?", "how do I install a package on Windows?"},
		{"What are the lock modes?", "", "how many of them are there?", "how many lock modes are there?"},
		{"How do I create an index?", "", "how many of them can a table have?", "how many indexes can a table have?"},
		{"how do I turn autovacuum off?", "", "and is that safe?", "is turning autovacuum off safe?"},
		{"how do I turn autovacuum off?", "", "does it need a restart?", "does autovacuum need a restart?"},
		{"What must a plaintiff prove to win a claim for battery?", "", "must he show intent?", "must a plaintiff show intent?"},
		{"Which documents must an applicant bring?", "", "how many of them?", "how many documents must an applicant bring?"},
		{"Who may approve a refund?", "", "in which form?", "in which form may one approve a refund?"},
		{"Does VACUUM lock the table?", "", "how long does it take?", "how long does VACUUM take?"},
		{"What are tablespaces?", "", "thanks. how do I move them?", "how do I move tablespaces?"},
		{"How often must the boiler be inspected?", "", "by whom?", "by whom must the boiler be inspected?"},
		{"What is a deadlock?", "", "tell me more", "tell me more about a deadlock?"},
		{"Is autovacuum enabled by default?", "", "how do I change that setting?", "how do I change autovacuum?"},
		{"How long may a visitor stay in the archive?", "", "what about in the reading room?", "how long may a visitor stay in the reading room?"},
		{"How do I create a unique index?", "", "and what about a partial index?", "how do I create a partial index?"},
	} {
		if got := followup.Resolve(c.asked, followup.Turn{Question: c.before, Head: c.head}); got != c.want {
			t.Errorf("%q after %q is %q, not %q", c.asked, c.before, got, c.want)
		}
	}
}

// Another thing takes the place of the one that was asked about, whatever the verb.
func TestAnotherThing(t *testing.T) {
	for _, c := range []struct{ before, asked, want string }{
		{"How long are backups kept?", "what about payroll?", "how long is payroll kept?"},
		{"When does the shop close?", "and the bar?", "when does the bar close?"},
		{"When does the shop close?", "and on Sundays?", "when does the shop close on Sundays?"},
		{"When does the shop close on Saturdays?", "and Sundays?", "when does the shop close on Sundays?"},
		{"When does the shop close on Saturdays?", "and the kitchen?", "when does the kitchen close on Saturdays?"},
		{"How many days did Otto take?", "and Mara?", "how many days did Mara take?"},
		{"What is the price of grade A?", "and grade B?", "what is the price of grade B?"},
		{"What does clause 7.2 say?", "and 7.3?", "what does clause 7.3 say?"},
		{"Who signs the invoices?", "and the contracts?", "who signs the contracts?"},
		{"Who waters the ferns?", "what about the cacti?", "who waters the cacti?"},
		{"How often are the filters rinsed?", "and the ducts?", "how often are the ducts rinsed?"},
		{"When must the rent be paid?", "and the deposit?", "when must the deposit be paid?"},
		{"Is smoking allowed on balconies?", "and in the garden?", "is smoking allowed in the garden?"},
		{"How much is the ticket for adults?", "and for children?", "how much is the ticket for children?"},
		{"How much is the ticket for adults?", "and children?", "how much is the ticket for children?"},
		{"Does the plan include dental care?", "what about the basic tariff?", "does the basic tariff include dental care?"},
		{"When do the apprentices vest?", "and the partners?", "when do the partners vest?"},
		{"Where does the number 7 bus stop?", "and the tram?", "where does the tram stop?"},
		{"Is the pool open on Mondays?", "and the sauna?", "is the sauna open on Mondays?"},
		{"When does the museum open in Lyon?", "and in Paris?", "when does the museum open in Paris?"},
		{"Are dogs welcome in the lobby?", "and cats?", "are cats welcome in the lobby?"},
		{"What is the notice period?", "and the deposit?", "what is the deposit?"},
		{"How many days of leave do apprentices get?", "and managers?", "how many days of leave do managers get?"},
		{"What must a plaintiff prove to win a claim for battery?", "what about assault?", "what must a plaintiff prove to win a claim for assault?"},
		{"Who pays for the repairs?", "and the heating?", "who pays for the heating?"},
		{"What happened in March?", "and in April?", "what happened in April?"},
		{"What happened in March?", "and April?", "what happened in April?"},
		{"Which tenants may use the laundry on Fridays?", "what about Tuesdays?", "which tenants may use the laundry on Tuesdays?"},
		{"How long does the warranty last?", "and the guarantee on parts?", "how long does the guarantee on parts last?"},
		{"Where do visitors park?", "and suppliers?", "where do suppliers park?"},
		{"Can a member bring a guest?", "and a trainer?", "can a trainer bring a guest?"},
	} {
		if got := followup.Resolve(c.asked, followup.Turn{Question: c.before}); got != c.want {
			t.Errorf("%q after %q is %q, not %q", c.asked, c.before, got, c.want)
		}
	}
}

// A question that stands alone is never changed.
func TestStandsAlone(t *testing.T) {
	before := followup.Turn{Question: "What is the default value of max_connections?", Head: "max_connections (integer)"}
	for _, asked := range []string{
		"How do I create an index?",
		"And what is shared_buffers for?",
		"What is autovacuum and how do I disable it?",
		"If I drop a role, what happens to its tables?",
		"Is it possible to rename a column?",
		"How long does it take to rebuild an index?",
		"Does it matter whether a tenant gave notice?",
		"What happens to a deposit when the tenant leaves it unclaimed?",
		"Which rule says that fees are due on Monday?",
		"What does this manual say about backups?",
		"How do I copy a file and keep its permissions?",
		"Can a guardian sell land on behalf of a child if they are the owner?",
		"wal_level",
		"on delete cascade",
		"A tenant left early. He owed two months of rent. Can the landlord keep the deposit?",
		"What is one way to split a commit?",
		"Is a contract void when it was signed under threat?",
		"How much notice must an employer give these days?",
		"Why are statistics important?",
		"Is it a crime to open somebody else's letter?",
	} {
		if followup.Leans(asked) {
			t.Errorf("%q leans on nothing", asked)
		}
		if got := followup.Resolve(asked, before); got != asked {
			t.Errorf("%q was changed to %q", asked, got)
		}
	}
}

// Without a question before it, or with nothing in it that fits, a question stays.
func TestNothingToLeanOn(t *testing.T) {
	for _, before := range []string{"", "   ", "How are you?", "?"} {
		if got := followup.Resolve("how do I do that?", followup.Turn{Question: before}); got != "how do I do that?" {
			t.Errorf("after %q: %q", before, got)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("What is the default of work_mem?", "work_mem", "and the maximum?")
	f.Add("Who may approve a refund?", "", "how many of them?")
	f.Fuzz(func(t *testing.T, before, head, asked string) {
		got := followup.Resolve(asked, followup.Turn{Question: before, Head: head})
		if !followup.Leans(asked) && got != asked {
			t.Errorf("%q was changed to %q", asked, got)
		}
	})
}
