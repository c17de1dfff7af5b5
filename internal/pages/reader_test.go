package pages_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestReadOnly_WriteIsRefused(t *testing.T) {
	t.Parallel()
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the-token", readToken: "look-only"})
	as := func(token, method, path string) *answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return s.send(t, request)
	}
	path := pageOf(s.Memory("ada", "Tabs"))
	for _, page := range []string{"/", adaList, path, path + "/delete"} {
		if got := as("look-only", http.MethodGet, page); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", page, got.StatusCode)
		}
	}
	as("look-only", http.MethodPost, path+"/delete").expect(http.StatusForbidden, "Read-only access", "Nothing was changed.", "/sign-in")
	if s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("it was deleted")
	}
}

// TestReadOnly_NameOnPhone checks that the name of the agent has room beside no button too.
func TestReadOnly_NameOnPhone(t *testing.T) {
	t.Parallel()
	onPhone(func(t *testing.T, browser context.Context) {
		s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the-token", readToken: "look-only"})
		p := open(t, browser, s, "/sign-in?next="+adaList, person{allowed: []string{"401"}})
		p.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), "look-only"))
		p.follow(chromedp.SendKeys(chromedp.CSS("input[name=token]"), kb.Enter))
		p.at(adaList)
		if width := evaluate[float64](p, `document.querySelector(".agent h1").getBoundingClientRect().width`); width < 100 {
			t.Errorf("the name is %.0f pixels wide", width)
		}
		p.fits()
	})(t, startBrowser(t))
}
