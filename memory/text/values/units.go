package values

import "strings"

// A Unit is a unit of measure or a currency: factor of them make one of the
// base unit of its dimension. Only units of one dimension can be compared.
type Unit struct {
	Dimension string
	Factor    float64
}

// UnitWords maps words to the units they may mean; a pound is money or a
// mass.
var UnitWords = readUnits(`
	time/s: second seconds sec secs =1; minute minutes min mins =60; hour hours hr hrs =3600;
		day days =86400; week weeks =604800; fortnight fortnights =1209600
	time/month: month months =1; year years yr yrs annum =12; decade decades =120; century centuries =1200
	length: millimetre millimetres millimeter millimeters mm =0.001; centimetre centimetres centimeter
		centimeters cm =0.01; metre metres meter meters =1; kilometre kilometres kilometer kilometers km kms =1000;
		inch inches =0.0254; foot feet ft =0.3048; yard yards yd yds =0.9144; mile miles mi =1609.344
	area: hectare hectares ha =10000; acre acres =4046.8564224
	mass: microgram micrograms mcg µg =0.000001; milligram milligrams mg =0.001; gram grams gramme grammes =1;
		kilogram kilograms kilo kilos kg kgs =1000; tonne tonnes =1000000; ounce ounces oz =28.349523125;
		lb lbs pound pounds =453.59237
	volume: millilitre millilitres milliliter milliliters ml =0.001; litre litres liter liters =1;
		gallon gallons =3.785411784
	data: kilobyte kilobytes kb =1000; megabyte megabytes mb =1000000; gigabyte gigabytes gb =1000000000;
		terabyte terabytes tb =1000000000000
	frequency: hertz hz =1; khz kilohertz =1000; mhz megahertz =1000000; ghz gigahertz =1000000000
	power: watt watts =1; kilowatt kilowatts kw =1000; megawatt megawatts mw =1000000; horsepower hp =745.69987
	voltage: volt volts =1; kilovolt kilovolts kv =1000; millivolt millivolts mv =0.001
	current: ampere amperes amp amps =1; milliampere milliamperes ma =0.001
	pressure: bar bars =100000; pascal pascals pa =1; kpa =1000; psi =6894.757; mmhg =133.322387415
	temperature/C: celsius centigrade =1
	temperature/F: fahrenheit =1
	speed: mph =1.609344; kph kmh =1; knot knots =1.852
	ratio: percent percentage pct =0.01
	points: pp =1
	money/dollar: dollar dollars usd =1
	money/euro: euro euros eur =1
	money/pound: pound pounds gbp sterling =1
	money/cent: cent cents =1
	money/penny: pence penny =1
	money/yen: yen jpy =1
	money/yuan: yuan cny renminbi =1
	money/rupee: rupee rupees inr =1
	money/franc: franc francs chf =1
	money/crown: crown crowns krona kronor krone kroner sek nok dkk czk =1
	money/rouble: rouble roubles ruble rubles rub =1
`)

// UnitSigns are units only right after digits, and case-sensitive.
var UnitSigns = map[string]Unit{
	"m": {"length", 1}, "g": {"mass", 1}, "t": {"mass", 1e6}, "l": {"volume", 1}, "L": {"volume", 1},
	"h": {"time/s", 3600}, "s": {"time/s", 1}, "d": {"time/s", 86400}, "A": {"current", 1}, "V": {"voltage", 1},
	"W": {"power", 1}, "C": {"temperature/C", 1}, "F": {"temperature/F", 1}, "K": {"temperature/K", 1},
	"in": {"length", 0.0254}, "%": {"ratio", 0.01}, "‰": {"ratio", 0.001},
}

// CurrencySigns are currencies by their signs.
var CurrencySigns = map[string]Unit{
	"$": {"money/dollar", 1}, "€": {"money/euro", 1}, "£": {"money/pound", 1}, "¥": {"money/yen", 1},
	"₹": {"money/rupee", 1}, "₽": {"money/rouble", 1},
}

// readUnits reads lines of "dimension: word word =factor; word =factor".
func readUnits(table string) map[string][]Unit {
	m := map[string][]Unit{}
	dimension := ""
	var names []string
	for _, f := range strings.Fields(table) {
		value, isFactor := strings.CutPrefix(strings.TrimSuffix(f, ";"), "=")
		switch {
		case strings.HasSuffix(f, ":"):
			dimension = strings.TrimSuffix(f, ":")
		case isFactor:
			factor, _ := finite(value) // a test checks that every factor is a number
			for _, name := range names {
				m[name] = append(m[name], Unit{dimension, factor})
			}
			names = names[:0]
		default:
			names = append(names, f)
		}
	}
	return m
}

// Family is the dimension without its base: days and months are both time.
func (u Unit) Family() string {
	family, _, _ := strings.Cut(u.Dimension, "/")
	return family
}
