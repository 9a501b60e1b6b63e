package classify

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Calibration maps a model's probability to its observed accuracy on the user's data: a sigmoid
// of its log-odds (Platt, 1999). A must be above 0, so the order of probabilities stays.
type Calibration struct{ A, B float64 }

// P returns the calibrated probability. A nil calibration changes nothing.
func (c *Calibration) P(p float64) float64 {
	if c == nil {
		return p
	}
	return 1 / (1 + math.Exp(-c.A*LogOdds(p)-c.B))
}

// Raw is the inverse of P.
func (c *Calibration) Raw(p float64) float64 {
	if c == nil {
		return p
	}
	return 1 / (1 + math.Exp(-(LogOdds(p)-c.B)/c.A))
}

// LogOdds returns the log-odds of a probability, limited to stay finite.
func LogOdds(p float64) float64 {
	p = max(1e-6, min(1-1e-6, p))
	return math.Log(p / (1 - p))
}

// ParseCalibration reads the form that String writes.
func ParseCalibration(text string) (*Calibration, error) {
	var c Calibration
	fields := strings.Fields(text)
	if len(fields) == 2 {
		var errA, errB error
		c.A, errA = strconv.ParseFloat(fields[0], 64)
		c.B, errB = strconv.ParseFloat(fields[1], 64)
		if errA == nil && errB == nil && c.A > 0 && !math.IsInf(c.A, 0) && !math.IsNaN(c.B) && !math.IsInf(c.B, 0) {
			return &c, nil
		}
	}
	return nil, fmt.Errorf("%q is not a calibration: it is two numbers, the first above 0, such as 0.8 -0.3", text)
}

// String returns the slope and the offset, such as "0.8 -0.3"; "" for nil.
func (c *Calibration) String() string {
	if c == nil {
		return ""
	}
	return strconv.FormatFloat(c.A, 'g', -1, 64) + " " + strconv.FormatFloat(c.B, 'g', -1, 64)
}
