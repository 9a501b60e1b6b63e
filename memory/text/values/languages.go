package values

import (
	"strconv"
	"strings"

	"example.com/assay/memory/text"
)

// A numeral table has the number words of a language, and the words that join them: "and" in "two
// hundred and five", "und" in "fünfunddreißig".
type numeralTable struct {
	words map[string]int
	and   []string
}

var numeralsOf = map[text.Language]numeralTable{
	"en": numerals("and", "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty", "thirty forty fifty sixty seventy eighty ninety", "hundred thousand million", "dozen=12"),
	"de": numerals("und", "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig", "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", "hundert tausend million", "ein=1 zwo=2 dreissig=30 millionen=1000000"),
	"fr": numerals("et", "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt", "trente quarante cinquante soixante septante huitante nonante", "cent mille million", "une=1 vingts=20 cents=100 quinzaine=15 douzaine=12"),
	"es": numerals("y", "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte", "treinta cuarenta cincuenta sesenta setenta ochenta noventa", "cien mil millón", "un=1 una=1 ciento=100 doscientos=200 doscientas=200 trescientos=300 trescientas=300 cuatrocientos=400 quinientos=500 quinientas=500 seiscientos=600 setecientos=700 ochocientos=800 novecientos=900 veintiuno=21 veintiún=21 veintidós=22 veintitrés=23 veinticuatro=24 veinticinco=25 veintiséis=26 veintisiete=27 veintiocho=28 veintinueve=29"),
	"it": numerals("e", "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti", "trenta quaranta cinquanta sessanta settanta ottanta novanta", "cento mille milione", "un=1 una=1 tré=3 mila=1000 vent=20 trent=30 quarant=40 cinquant=50 sessant=60 settant=70 ottant=80 novant=90"),
	"pt": numerals("e", "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove vinte", "trinta quarenta cinquenta sessenta setenta oitenta noventa", "cem mil milhão", "uma=1 duas=2 quatorze=14 dezasseis=16 dezassete=17 dezanove=19 cento=100 duzentos=200 duzentas=200 trezentos=300 trezentas=300 quatrocentos=400 quinhentos=500 seiscentos=600 setecentos=700 oitocentos=800 novecentos=900"),
	"nl": numerals("en", "nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig", "dertig veertig vijftig zestig zeventig tachtig negentig", "honderd duizend miljoen", "een=1"),
	"sv": numerals("", "noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo", "trettio fyrtio femtio sextio sjuttio åttio nittio", "hundra tusen miljon", "en=1"),
	"da": numerals("og", "nul et to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten tyve", "tredive fyrre halvtreds tres halvfjerds firs halvfems", "hundrede tusind million", "en=1 én=1"),
	"no": numerals("og", "null ett to tre fire fem seks sju åtte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten tjue", "tretti førti femti seksti sytti åtti nitti", "hundre tusen million", "en=1 én=1 syv=7 tyve=20"),
}

// numerals reads the words of 0 to 20, of the tens from 30, of 100, 1,000 and 1,000,000,
// and others with their numbers.
func numerals(and, small, tens, large, others string) numeralTable {
	t := numeralTable{words: numbered(small, 0, 1), and: strings.Fields(and)}
	for i, w := range strings.Fields(tens) {
		t.words[w] = 30 + 10*i
	}
	for i, w := range strings.Fields(large) {
		t.words[w] = [...]int{100, 1000, 1000000}[i]
	}
	for pair := range strings.FieldsSeq(others) {
		w, n, _ := strings.Cut(pair, "=")
		t.words[w], _ = strconv.Atoi(n)
	}
	return t
}

// vocabulary maps words of all languages to their meaning. A line has the meaning and the words of
// a language, so that a language is added by one word a line.
func vocabulary(lines string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(lines) {
		meaning, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for w := range strings.FieldsSeq(words) {
			m[w] = strings.TrimSpace(meaning)
		}
	}
	return m
}

var timeUnits = vocabulary(`
	year: year years yr yrs jahr jahre jahren jahres an ans année années année-s año años anno anni ano anos jaar jaren år vuosi vuotta
	month: month months monat monate monaten monats mois mes meses mese mesi mês maand maanden månad månader måned måneder måneders kuukausi kuukautta
	week: week weeks woche wochen semaine semaines semana semanas settimana settimane weken vecka veckor uge uger uke uker viikko viikkoa
	day: day days tag tage tagen tages werktag werktage werktagen arbeitstag arbeitstage arbeitstagen kalendertage kalendertagen jour jours día días dia dias giorno giorni dag dagen werkdagen dagar dage dager päivä päivää
	hour: hour hours hr hrs stunde stunden heure heures hora horas ora ore uren timme timmar time timer tunti tuntia
	minute: minute minutes min mins minuten minuto minutos minuti minuut minuter minutter
	second: second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo secondi seconden sekund sekunder sekunti sekuntia
	millisecond: millisecond milliseconds ms millisekunden millisecondes milisegundos millisecondi
	quarter: quarter quarters quartal quartale trimestre trimestres trimestri kwartaal kwartalen kvartal
	fortnight: fortnight fortnights quinzaine quincena
`)

var asianUnits = []struct{ suffix, unit string }{
	{"ヶ月", "month"}, {"か月", "month"}, {"カ月", "month"}, {"ケ月", "month"}, {"箇月", "month"}, {"个月", "month"}, {"個月", "month"}, {"개월", "month"},
	{"年間", "year"}, {"週間", "week"}, {"日間", "day"}, {"日以内", "day"}, {"日前", "day"}, {"日まで", ""}, {"時間", "hour"}, {"小时", "hour"}, {"小時", "hour"}, {"시간", "hour"},
	{"分間", "minute"}, {"分钟", "minute"}, {"分鐘", "minute"}, {"星期", "week"}, {"周", "week"}, {"天", "day"}, {"年", "year"}, {"년", "year"}, {"일", "day"}, {"주", "week"}, {"日", "day"}, {"分", "minute"},
}

var monthWords = vocabulary(`
	1: january jan januar jänner janvier enero gennaio janeiro januari tammikuuta
	2: february feb februar février febrero febbraio fevereiro februari helmikuuta
	3: march mar märz mrz mars marzo março maart marts maaliskuuta
	4: april apr avril abril aprile huhtikuuta
	5: may mai mayo maggio maio mei maj toukokuuta
	6: june jun juni juin junio giugno junho kesäkuuta
	7: july jul juli juillet julio luglio julho heinäkuuta
	8: august aug août agosto augustus augusti elokuuta
	9: september sep sept septembre septiembre settembre setembro syyskuuta
	10: october oct okt oktober octobre octubre ottobre outubro lokakuuta
	11: november nov novembre noviembre novembro marraskuuta
	12: december dec dez dezember décembre diciembre dicembre dezembro joulukuuta
`)

var dayWords = vocabulary(`
	monday: monday mondays montag montags lundi lunes lunedì segunda-feira maandag måndag mandag maanantai 月曜日 月曜 星期一 周一 월요일
	tuesday: tuesday tuesdays dienstag dienstags mardi martes martedì terça-feira dinsdag tisdag tirsdag tiistai 火曜日 火曜 星期二 周二 화요일
	wednesday: wednesday wednesdays mittwoch mittwochs mercredi miércoles mercoledì quarta-feira woensdag onsdag keskiviikko 水曜日 水曜 星期三 周三 수요일
	thursday: thursday thursdays donnerstag donnerstags jeudi jueves giovedì quinta-feira donderdag torsdag torstai 木曜日 木曜 星期四 周四 목요일
	friday: friday fridays freitag freitags vendredi viernes venerdì sexta-feira vrijdag fredag perjantai 金曜日 金曜 星期五 周五 금요일
	saturday: saturday saturdays samstag samstags sonnabend samedi sábado sábados sabato zaterdag lördag lørdag lauantai 土曜日 土曜 星期六 周六 토요일
	sunday: sunday sundays sonntag sonntags dimanche domingo domingos domenica zondag söndag søndag sunnuntai 日曜日 日曜 星期日 星期天 周日 일요일
`)

// frequencyWords are complete frequencies.
var frequencyWords = vocabulary(`
	1 hour: hourly stündlich
	1 day: daily nightly täglich quotidien quotidienne quotidiennement diario diaria diariamente giornaliero quotidiano quotidianamente diário diária diariamente dagelijks dagligen daglig dagligt 毎日 每天 每日 매일
	1 week: weekly wöchentlich hebdomadaire semanal semanalmente settimanale settimanalmente wekelijks veckovis ugentlig ukentlig 毎週 每周 每週 매주
	2 weeks: fortnightly biweekly vierzehntägig quincenal
	1 month: monthly monatlich mensuel mensuelle mensuellement mensual mensualmente mensile mensilmente mensal mensalmente maandelijks månadsvis månedlig 毎月 每月 매월
	3 months: quarterly vierteljährlich quartalsweise trimestriel trimestrielle trimestral trimestrale kwartaalsgewijs
	6 months: half-yearly halbjährlich semestriel semestral semestrale halfjaarlijks
	1 year: yearly annually annual jährlich annuel annuelle annuellement anual anualmente annuale annualmente jaarlijks årligen årlig 毎年 每年 매년
`)

// each are words that form a frequency with a unit: "every two months".
var each = stopSet(`every each per alle jeden jede jedes pro chaque par cada por ogni elke iedere varje hver hvert`)

var currencyWords = vocabulary(`
	EUR: eur euro euros € 
	USD: usd us$ $ dollar dollars dólares dólar
	GBP: gbp £ pound pounds sterling quid
	CHF: chf sfr franken francs
	JPY: jpy ¥ 円 yen
	CNY: cny rmb 元 块 yuan
	KRW: krw ₩ 원
	INR: inr ₹ rupee rupees rupien
	SEK: sek kronor
	DKK: dkk
	NOK: nok kroner kr
	MYR: myr rm
	SGD: sgd
	AUD: aud
	CAD: cad
	PLN: pln zł
	cent: cent cents centimes céntimos centesimi cêntimos centavos pence penny p
`)

func stopSet(words string) map[string]bool { return text.Set(words) }
