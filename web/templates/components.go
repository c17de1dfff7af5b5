package templates

import (
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"memoir/internal/memories"
)

// quick makes the forms within an element replace the main region and the notices by their answer, instead of the
// document. They wait for a refresh of the page that is on its way, and their buttons rest meanwhile. The address
// becomes that of the answer, which is where the page refreshes itself from. It stands on the element around them,
// because a list repeats its forms two thousand times.
var quick = templ.OrderedAttributes{
	{Key: "hx-target:inherited", Value: "#main"},
	{Key: "hx-select:inherited", Value: "#main"},
	{Key: "hx-swap:inherited", Value: "outerMorph"},
	{Key: "hx-select-oob:inherited", Value: "#notices:innerHTML"},
	{Key: "hx-replace-url:inherited", Value: "true"},
	{Key: "hx-sync:inherited", Value: "#main:queue all"},
	{Key: "hx-disable:inherited", Value: "findAll button"},
}

// nearlyFull is the part of a limit, in percent, from which on a meter warns.
const nearlyFull = 90

func fullness(value, limit int) Tone {
	switch {
	case limit <= 0:
		return Quiet
	case value > limit:
		return Danger
	case value*100 >= limit*nearlyFull:
		return Warning
	default:
		return Good
	}
}

func iconOf(t memories.Type) string {
	if t == "" {
		return "attention"
	}
	return string(t)
}

// anchor makes an id that stays the same from one rendering to the next, so that what a reader has opened stays open.
func anchor(kind, about string) string {
	return kind + "-" + strings.Trim(outsideIDs.ReplaceAllString(about, "-"), "-")
}

var outsideIDs = regexp.MustCompile(`[^A-Za-z0-9]+`)

// them names a number of things that were just named.
func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "all " + number(n)
}
