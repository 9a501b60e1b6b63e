package causal

import "sync"

// Classes of cues.
const (
	assoc  class = iota // two things go together
	comp                // comparisons and counts
	strong              // verbs and connectives: one thing brings about the other
	soft                // words of effect with weaker meanings too
	modal               // only possible
	null                // no effect
	advice              // what should be done or studied
	back                // the cause follows
	fwd                 // the effect follows
	purp                // a purpose
	design              // a study that can distinguish cause from effect
	survey              // a study that cannot
	agenda              // still unknown, or wanted
	classes
)

var classNames = [classes]string{"assoc", "comp", "strong", "soft", "modal", "null", "advice", "back", "fwd", "purp", "design", "survey", "agenda"}

var cueLists = map[class]string{
	assoc: `associat*, correlat*, link, links, linked, linkage, relat*, relation*, relationship*, predict*, risk factor, risk factors,
		odds, likelihood, more likely, less likely, independently, determinant*, marker, markers, biomarker*, related, proportional,
		connect*, tied to, coincid*, co-occur*, goes with, accompan*, characteristic of, concomitant*,
		increased with, increases with, increase with, decreased with, decreases with, decrease with, varied with, varies with, vary with, depend on, depends on, depended on`,
	comp: `more, less, higher, lower, greater, fewer, better, worse, larger, smaller, compared, than, increased risk, elevated risk, prevalence,
		prevalent, incidence, rate, rates, frequent, frequency, common`,
	strong: `caus*, lead to, leads to, leading to, led to, result in, results in, resulted in, resulting in, due to, because, as a result,
		as a consequence, induce, induces, induced, inducing, prevents, prevented, improves, improved, reduces, enhances, enhanced,
		increases, decreases, contributes to, contributed to, contribute to, protects, protected, inhibits, inhibited,
		triggers, triggered, triggering, trigger, prompts, prompted, prompting, sparks, sparked, sparking, spark, provokes, provoked, provoking,
		bring about, brings about, brought about, gave rise, gives rise, give rise, forces, forced, forcing, suppresses, suppressed,
		attenuates, attenuated, alleviates, alleviated, stimulates, stimulated, elicits, elicited, promotes, promoted, facilitates, facilitated,
		worsens, worsened, impairs, impaired, ameliorates, ameliorated, abolishes, abolished, lowered, lowers, raises, raised, slows, slowed, kills, killed, blocks, blocked, is responsible for,
		are responsible for, responsible for, makes, exacerbates, exacerbated, restores, restored, accelerates, accelerated, delays, delayed`,
	soft: `effect, effects, effective, effectively, effectiveness, efficac*, affect, affects, affected, affecting, impact, impacts, impacted,
		influenc*, promot*, benefi*, improv*, reduc*, increas*, decreas*, prevent*, mediat*, help, helps, helped, role, produces, produced,
		produce, outcomes, advantage*, useful, superior, better, worse, treat, treats, manag*, successful*, protect*, inhibit*, attenuat*, alleviat*`,
	modal: `may, might, could, can, possible, possibly, potential, potentially, likely to, appear to, appears to, appeared to, seem to, seems to,
		seemed to, suggest, suggests, suggested, suggesting, probable, probably, promising, would, hypothes*, perhaps`,
	null: `no effect, no effects, no association, no associations, no difference, no differences, no relationship, no relation, no correlation, no evidence,
		no impact, no change, no changes, no influence, no benefit, no link, no + effect, no + effects, no + association, no + associations, no + difference,
		no + differences, no + relationship, no + correlation, no + evidence, no + impact, no + change, no + changes, no + influence, no + benefit, no + improvement,
		no + reduction, no + increase, not associated, not related, not correlated, not linked, not affect, not affected, not improve, not improved, not reduce, not reduced,
		not increase, not increased, not differ, not different, not influence, not influenced, not cause, not caused, not predict, not lead,
		not + associated, not + related, not + correlated, not + affect, not + affected, not + improve, not + reduce, not + increase, not + differ, not + different,
		not + influence, not + cause, not + predict, not + lead, did not, does not, do not, was not, were not, is not, are not, cannot, without, similar, similarly,
		comparable, non-inferior, noninferior, non-inferiority, equivalent, neither, nor, failed to, fails to, unrelated, independent of, regardless of, unchanged, unaffected`,
	advice: `should, need, needs, needed, further, future, recommend*, must, warrant*, feasib*, we describe, we report, we present, safe, safely, safety, well tolerated,
		well-tolerated, required, require, requires, remain, remains, valid*, reliab*, accura*, consider*, necessary, important, attention, aware*, clinicians, physicians,
		first report, case report, propos*, provide*, develop*, unclear, unknown, investigat*, explor*, evaluat*, examin*, stud*`,
	back: `because, since, due to, owing to, thanks to, caused by, triggered by, induced by, produced by, generated by, prompted by, sparked by, brought about by, driven by,
		resulting from, result from, results from, resulted from, result of, results of, consequence of, effect of, stem from, stems from, stemmed from, stemming from, attribut*,
		following, after, over, amid, in the wake of, in the aftermath of, in retaliation, accus*, when, in response to, in protest, blam*, arise from, arises from, arising from, arose from, come from, comes from, from, of, by, as`,
	fwd: `therefore, thus, hence, consequently, so, leading to, causing, resulting in, leaving, killing, injuring, forcing, prompting, sparking, thereby, which,
		lead to, leads to, led to, result in, results in, resulted in, cause, causes, caused, trigger, triggers, triggered, induce, induces, produce, produces,
		produced, generate*, provoke*, create*, bring*, brought, give* rise, gave rise, contribute*, emit*, inflict*, damag*, destroy*, disrupt*, injur*, wound*, kill*, threaten*`,
	purp: `in order to, so that, so as to, to protest, to demand, to prevent, to stop, to avoid, to mark, to ensure, to call, to press, to force, to protect, to seek, to get, to show,
		to express, to make, to disperse, to support, to end, to push, to control, to quell, to bring, to take, to help, to keep, aim, aims, aimed, aiming, demanding, protesting,
		calling for, against, for, demand*, in a bid to, in an attempt to, in support of, in solidarity, in retaliation, in a show of, on the grounds`,
	design: `randomi*, trial, trials, placebo, experiment*, double-blind, blinded, controlled, intervention*, instrumental, mendelian, knockout, knock-out, mice, rats, in vitro, in vivo`,
	survey: `cross-sectional, observational, cohort, case-control, survey*, retrospective, prospective, longitudinal, questionnaire*, registry, self-report*, ecological`,
	agenda: `further, future, warrant*, should, needed, need to, needs to, need for, unclear, unknown, remain to, remains to, to be determined, to be elucidated, to be established,
		more research, more studies, additional studies, additional research, is required, are required, it is important, it is necessary, recommend*, consider, considered,
		aim of, aimed to, objective, purpose, whether, could be used, can be used, may be used, may be useful, might be useful, opportunit*, priority, strategies, policies, policy`,
}

var cues = sync.OnceValue(func() *lexicon { return newLexicon(cueLists) })
