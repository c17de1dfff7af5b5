package templates_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// check checks a part of a page. It returns an error if the part is wrong.
type check func(*goquery.Selection) error

// in runs checks on each element that a selector finds, at least one.
func in(selector string, checks ...check) check {
	return func(s *goquery.Selection) error {
		found := s.Find(selector)
		if found.Length() == 0 {
			return fmt.Errorf("%s is not there", selector)
		}
		for _, c := range checks {
			if err := c(found); err != nil {
				return fmt.Errorf("%s %w", selector, err)
			}
		}
		return nil
	}
}

// textIn returns the visible text, with single spaces between elements.
func textIn(s *goquery.Selection) string {
	var all []string
	for _, node := range s.Nodes {
		for inner := range node.Descendants() {
			if inner.Type == html.TextNode {
				all = append(all, strings.Fields(inner.Data)...)
			}
		}
	}
	return strings.Join(all, " ")
}

func text(want string) check {
	return func(s *goquery.Selection) error {
		if got := textIn(s); got != want {
			return fmt.Errorf("says %q, want %q", got, want)
		}
		return nil
	}
}

func says(part string) check {
	return func(s *goquery.Selection) error {
		if got := textIn(s); !strings.Contains(got, part) {
			return fmt.Errorf("says %q, without %q", got, part)
		}
		return nil
	}
}

func attr(name, want string) check {
	return func(s *goquery.Selection) error {
		if got := s.AttrOr(name, "(none)"); got != want {
			return fmt.Errorf("has %s=%q, want %q", name, got, want)
		}
		return nil
	}
}

func count(want int) check {
	return func(s *goquery.Selection) error {
		if s.Length() != want {
			return fmt.Errorf("is there %d times, want %d", s.Length(), want)
		}
		return nil
	}
}

func each(want ...string) check {
	return func(s *goquery.Selection) error {
		var got []string
		s.Each(func(_ int, one *goquery.Selection) { got = append(got, textIn(one)) })
		if strings.Join(got, "|") != strings.Join(want, "|") {
			return fmt.Errorf("say %q, want %q", got, want)
		}
		return nil
	}
}

func without(selector string) check {
	return func(s *goquery.Selection) error {
		if s.Find(selector).Length() > 0 {
			return fmt.Errorf("has %s", selector)
		}
		return nil
	}
}

func parse(t *testing.T, component templ.Component) *goquery.Selection {
	t.Helper()
	var page strings.Builder
	if err := component.Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	document, err := goquery.NewDocumentFromReader(strings.NewReader(page.String()))
	if err != nil {
		t.Fatal(err)
	}
	return document.Selection
}

func expect(t *testing.T, component templ.Component, checks ...check) {
	t.Helper()
	document := parse(t, component)
	for _, c := range checks {
		if err := c(document); err != nil {
			t.Error(err)
		}
	}
}
