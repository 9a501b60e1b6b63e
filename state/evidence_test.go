package state_test

import (
	"reflect"
	"testing"

	"example.com/assay/state"
)

// Each field of a passage counts: one that is added and forgotten in Equal
// turns this red.
func TestPassageEqual(t *testing.T) {
	fill := func() state.Passage {
		var p state.Passage
		v := reflect.ValueOf(&p).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() {
			case reflect.String:
				f.SetString("x")
			case reflect.Int:
				f.SetInt(1)
			case reflect.Map:
				f.Set(reflect.ValueOf(map[string]string{"k": "v"}))
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			default:
				t.Fatalf("a field of kind %v is new to this test", f.Kind())
			}
		}
		return p
	}
	if p := fill(); !p.Equal(fill()) {
		t.Error("a passage is not equal to itself")
	}
	for i := range reflect.TypeFor[state.Passage]().NumField() {
		p := fill()
		reflect.ValueOf(&p).Elem().Field(i).SetZero()
		if p.Equal(fill()) {
			t.Errorf("Equal does not look at %s", reflect.TypeFor[state.Passage]().Field(i).Name)
		}
	}
}
