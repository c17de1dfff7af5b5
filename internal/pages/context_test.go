package pages_test

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/xray"
	"memoir/internal/waittest"
)

const (
	adaContext  = ada + "/context"
	adaMemoryMD = adaContext + "?file=memory-md"
	adaRepair   = adaContext + "/index"
)

// longIndex returns an index with that many lines. The first two link to the memories.
func longIndex(lines int) string {
	return "- [Tabs](tabs.md)\n- [Release](release.md)\n" + strings.Repeat("- a note without a link\n", lines-2)
}

func TestContext_IndexAsLoaded(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = longIndex(200)
	s := serve(t, files)
	page := s.get(t, adaMemoryMD)
	page.expect(http.StatusOK, "MEMORY.md 200 lines")
	if n := page.Find(".source li").Length(); n != 200 || page.Find(".cut-here, .cut").Length() != 0 {
		t.Errorf("of 200 lines %d are shown, and %d are cut", n, page.Find(".cut").Length())
	}
	if link := page.Find("#line-1 a"); link.AttrOr("href", "") != pageOf(s.Memory("ada", "Tabs")) || words(page.Find("#line-1")) != "1 - Tabs tabs.md" {
		t.Errorf("line 1 is %q", words(page.Find("#line-1")))
	}

	s.Write("ada/memory/MEMORY.md", longIndex(201))
	page = s.get(t, adaMemoryMD)
	page.expect(http.StatusOK, "MEMORY.md 200 of 201 lines", "1 line not loaded", "Cut here. The agent does not see the lines below.")
	if cut := page.each(".source .cut"); len(cut) != 1 || !strings.HasPrefix(cut[0], "201 - a note without a link (not seen)") {
		t.Errorf("cut are %q", cut)
	}
	if before := words(page.Find(".cut-here").Prev()); !strings.HasPrefix(before, "200 ") {
		t.Errorf("the cut is after %q", before)
	}
	if folded := page.Find(".source details li").Length(); folded != 189 {
		t.Errorf("%d lines are folded", folded)
	}

	s.Write("ada/memory/MEMORY.md", "x"+strings.Repeat("😀", 12_500)+"\n")
	page = s.get(t, adaMemoryMD)
	if n := page.Find(`[id="line-1"]`).Length(); page.Find(".source .cut").Length() != 1 || n != 2 {
		t.Errorf("a line that is cut within is there %d times", n)
	}
}

func TestContext_IndexFindings(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = "---\nx: y\n---\n- [Tabs](tabs.md)\n- [Gone](gone.md)\n- [Tabs again](tabs.md)\n- " + strings.Repeat("é", 200) + "\n<script>alert(1)</script>\n"
	s := serve(t, files)
	page := s.get(t, adaMemoryMD)
	page.expect(http.StatusOK, "1 dead link", "1 memory without a line", "1 repeated line", "1 long line", "Not loaded: 1 memory")
	for line, says := range map[int]string{5: "gone.md does not exist.", 6: "tabs.md has a line already: line 4.", 7: "202 characters."} {
		if got := words(page.Find(fmt.Sprintf("#line-%d .finding", line))); !strings.Contains(got, says) {
			t.Errorf("line %d says %q, want %q", line, got, says)
		}
	}
	if class := page.Find("#line-2").AttrOr("class", ""); class != "left-out" {
		t.Errorf("frontmatter is shown as %q", class)
	}
	if href := page.Find(`.file-links a:contains("release.md")`).AttrOr("href", ""); href != pageOf(s.Memory("ada", "Release")) {
		t.Errorf("the memory without a line is at %q", href)
	}
	if page.Find("main script").Length() != 0 {
		t.Error("a line of the index became a script")
	}
}

func TestRepairIndex_WritesPreview(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	const index = "ada/memory/MEMORY.md"
	files[index] = "# By hand\n\n- [Gone](gone.md)\n- [Tabs](tabs.md) — mine\n"
	s := serve(t, files)
	page := s.get(t, s.get(t, adaMemoryMD).Find(`a:contains("Update index…")`).AttrOr("href", ""))
	page.expect(http.StatusOK, "Update MEMORY.md", "Adds 1 line · Removes 1 line", "removed: - [Gone](gone.md)", "added: - [Release](release.md)")
	if s.Read(index) != files[index] {
		t.Fatal("the preview has written the file")
	}

	s.Write(index, files[index]+"\nMore by hand.\n")
	page = s.submit(t, page, "Save")
	page.expect(http.StatusPreconditionFailed, "This changed while you read it", "Nothing was written", "More by hand.")
	if s.Read(index) != files[index]+"\nMore by hand.\n" {
		t.Fatalf("a refused repair has written %q", s.Read(index))
	}

	page = s.submit(t, page, "Save")
	page.expect(http.StatusOK)
	if got := s.Read(index); !strings.HasPrefix(got, "# By hand\n\n- [Tabs](tabs.md) — mine\n- [Release](release.md) — ") || !strings.HasSuffix(got, "\n\nMore by hand.\n") {
		t.Errorf("the file is %q", got)
	}
	if page.Request.URL.RequestURI() != adaMemoryMD || page.Find(`a[href="`+adaRepair+`"]`).Length() != 0 {
		t.Errorf("the repair leads to %s", page.Request.URL)
	}
	s.get(t, adaRepair).expect(http.StatusOK, "No change needed.")
}

func TestFaultA13_IndexFits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		memories int
		index    string
	}{
		"too many lines":         {240, strings.Repeat("- a note without a link\n", 20)},
		"too many units":         {150, "- [Tabs](tabs.md) — " + strings.Repeat("long ", 4000) + "\n"},
		"no index":               {300, ""},
		"many handwritten lines": {40, strings.Repeat("- a note without a link\n", 150)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := differentMemories(tt.memories)
			if tt.index != "" {
				files["ada/memory/MEMORY.md"] = tt.index
			} else {
				delete(files, "ada/memory/MEMORY.md")
			}
			s := serve(t, files)
			page := s.get(t, adaRepair)
			label := "Save"
			if tt.index == "" {
				label = "Create"
			}
			s.submit(t, page, label).expect(http.StatusOK)
			loaded := memorymd.Read([]byte(s.Read("ada/memory/MEMORY.md")))
			if loaded.Warning != "" || loaded.LineCount > memorymd.IndexLineCap || loaded.Units > memorymd.IndexUnitCap {
				t.Errorf("the index has %d lines and %d units: %s", loaded.LineCount, loaded.Units, loaded.Warning)
			}
			if cut := s.get(t, adaMemoryMD).Find(".cut-here").Length(); cut != 0 {
				t.Error("the page shows a cut")
			}
		})
	}
}

func TestContext_NoIndex(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	delete(files, "ada/memory/MEMORY.md")
	files["bob/memory/note.png"] = "no memory\n"
	s := serve(t, files)
	page := s.get(t, adaMemoryMD)
	page.expect(http.StatusOK, "No MEMORY.md yet")
	page = s.get(t, page.Find(`a:contains("Create…")`).AttrOr("href", ""))
	page.expect(http.StatusOK, "Create MEMORY.md", "Adds 2 lines")
	s.submit(t, page, "Create").expect(http.StatusOK, "MEMORY.md 2 lines")
	if got := s.Read("ada/memory/MEMORY.md"); strings.Count(got, "\n") != 2 {
		t.Errorf("the file is %q", got)
	}
	empty := s.get(t, "/agents/bob/context?file=memory-md")
	empty.expect(http.StatusOK, "No MEMORY.md yet", "Only the Memory System so far.")
	if empty.Find(`a:contains("Create…")`).Length() != 0 {
		t.Error("an index of nothing is offered")
	}
}

func TestContext_UnreadableIndex(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	delete(files, "ada/memory/MEMORY.md")
	s := serve(t, files)
	s.Write("secret.md", "not for anybody")
	if err := os.Symlink(s.Path("secret.md"), s.Path("ada/memory/MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	page := s.get(t, adaMemoryMD)
	page.expect(http.StatusOK, "MEMORY.md cannot be read.", "It is unchanged")
	if strings.Contains(page.raw, "not for anybody") {
		t.Error("a link out of the directory was followed")
	}
	s.get(t, adaContext).expect(http.StatusOK, "# Memory System")
	s.get(t, adaRepair).expect(http.StatusConflict, "cannot be read")
}

func TestContext_ClaudeMDLines(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = "\n# Mine <b>\n\n<!-- memoir:begin -->\n<!-- memoir:end -->\n\nBehind.\n"
	s := serve(t, files)
	page := s.get(t, adaContext)
	page.expect(http.StatusOK, "CLAUDE.md", "Hand-written", "Raw")
	lines := page.Find(".source li > [dir]").Map(func(_ int, l *selection) string { return l.Text() })
	if got := strings.Join(lines, "\n") + "\n"; got != s.Read("ada/CLAUDE.md") {
		t.Errorf("the text is\n%s", got)
	}
	var own []string
	page.Find(".source li:not(.own) > [dir]").Each(func(_ int, l *selection) { own = append(own, l.Text()) })
	if got := strings.Join(own, "|"); got != "|# Mine <b>|||Behind." {
		t.Errorf("written by hand is %q", got)
	}
	tabs := s.Memory("ada", "Tabs")
	if got := page.Find(`.source a[href="` + pageOf(tabs) + `"]`).Text(); got != "Tabs" {
		t.Errorf("the heading of a memory is %q", got)
	}
	if part := page.Find(`.xray-bar a[href="` + pageOf(tabs) + `"]`); !strings.HasPrefix(words(part), "Tabs: ") {
		t.Errorf("its part of the bar is %q", words(part))
	}
}

func TestContext_LongFiles(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = "first\n" + strings.Repeat("filler é\n", 240_000) + "last\n"
	files["ada/memory/MEMORY.md"] = "<!--\n" + strings.Repeat("comment\n", 5000) + "-->\n\n" + strings.Repeat("- [Gone](gone.md) "+strings.Repeat("x", 1000)+"\n", 2000)
	s := serve(t, files)
	for _, path := range []string{adaContext, adaMemoryMD} {
		page := s.get(t, path)
		page.expect(http.StatusOK)
		if len(page.raw) > 150_000 {
			t.Errorf("%s has %d bytes", path, len(page.raw))
		}
	}
	page := s.get(t, adaContext)
	page.expect(http.StatusOK, "first", "filler é", "1 to 500 of", "Show more", "54 × the limit")
	next := page.Find(`.file-more a:contains("Show more")`).AttrOr("href", "")
	more := s.get(t, next)
	more.expect(http.StatusOK, "501 to 1,000 of", "Show earlier")
	if n := more.Find("#line-501").Length(); n != 1 {
		t.Errorf("the second page of %s is without line 501", next)
	}
	if page := s.get(t, adaMemoryMD); page.Find(".cut-here").Length() != 1 {
		t.Error("the cut is not in sight")
	}
}

func TestContext_DamagedMarkers(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = strings.Repeat("text\n", 900) + "<!-- memoir:end -->\n" + strings.Repeat("text\n", 9) + "<!-- memoir:begin -->\n```\n<!-- memoir:begin -->\n```\n"
	s := serve(t, files)
	page := s.get(t, adaContext)
	page.expect(http.StatusOK, "Damaged markers.", "Keep one begin and one end marker, or remove all.")
	if got := page.each(".source .marker"); !slices.Equal(got, []string{"901 <!-- memoir:end -->", "911 <!-- memoir:begin -->"}) {
		t.Errorf("the markers are %q", got)
	}
	if got := page.each("#xray-numbers tbody th"); len(got) < 1 || got[0] != "Hand-written" || slices.Contains(got, "Feedback") {
		t.Errorf("the damaged file counts as %q", got)
	}
	if n := page.Find(".banner").Length(); n != 0 {
		t.Errorf("the problem is told %d times more", n)
	}
}

func TestContext_ClaudeMDNotWritten(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md/a-directory.txt"] = "in the place of the file"
	s := serve(t, files)
	s.submit(t, s.get(t, adaList), "Delete Tabs").expect(http.StatusOK, "Deleted Tabs", "CLAUDE.md not written")
	page := s.get(t, adaContext+"?file=claude-md")
	page.expect(http.StatusOK)
	if got := words(page.Find(".file-note")); !strings.Contains(got, "CLAUDE.md is not up to date.") {
		t.Errorf("above the file: %q", got)
	}
}

func TestContext_MarkupIsEscaped(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/x.md": memoirtest.Note(`"<img src=x onerror=alert(1)>"`, memories.User, "<script>alert(2)</script>")})
	for _, path := range []string{adaContext, adaMemoryMD, adaRepair} {
		if page := s.get(t, path); page.Find("main img, main script").Length() != 0 {
			t.Errorf("%s has markup of a memory in it", path)
		}
	}
}

// carried returns the number of the X-ray of ada's Context page.
func carried(page *answer) int { return figure(words(page.Find("#xray-title strong"))) }

func TestContext_TokensAgree(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	s.Write("ada/memory/MEMORY.md", "- [Deploy](deploy.md)\n- "+strings.Repeat("note ", 60)+"\n")
	s.Scan("ada")
	s.asks("ada", "one", "when do we deploy on tuesdays?")
	s.asks("ada", "two", "what is the capital of mongolia")
	s.asks("ada", "three", "on which day do we deploy, tuesdays?")
	page := s.get(t, adaContext)
	sum := 0
	for _, cells := range page.each("#xray-numbers tbody tr td:nth-child(3)") {
		sum += figure(cells)
	}
	agent, err := s.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := s.Store.Carried(t.Context(), []int64{agent.ID}, time.Now().AddDate(0, 0, -xray.RecallDays))
	if err != nil {
		t.Fatal(err)
	}
	of := sizes[agent.ID]
	if of.Conversations != 3 || of.RecalledBytes == 0 || of.IndexChars != len([]rune(memorymd.Load([]byte(s.Read("ada/memory/MEMORY.md"))))) {
		t.Errorf("carried are %+v", of)
	}
	if want := xray.Tokens(agent, of); carried(page) != want || sum != want {
		t.Errorf("the page has %d tokens, the table %d, other pages %d", carried(page), sum, want)
	}
	s.Remove("ada/memory/MEMORY.md")
	s.Scan("ada")
	waittest.For(s, "the index to be gone", func() bool {
		return !slices.Contains(s.get(t, adaContext).each("#xray-numbers tbody th"), "MEMORY.md")
	})
}

func TestContext_OldAddresses(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	fact := s.get(t, adaMemoryMD).Find(".source .do").AttrOr("href", "")
	id := fact[strings.LastIndexByte(fact, '/')+1:]
	direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for from, to := range map[string]string{
		"/claude-md": "?file=claude-md", "/index": "?file=memory-md", "/recall": "", "/recall?q=a+b&session=x": "?q=a+b&session=x",
		"/claude-md?as_of=2026-01-02": "?file=claude-md&as_of=2026-01-02", "/index/rebuild": "/index", "/index/repair": "/index", "/index/facts/" + id: "/facts/" + id,
	} {
		response, err := direct.Get(s.address + ada + from)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := response.Header.Get("Location"); response.StatusCode != http.StatusMovedPermanently || got != adaContext+to {
			t.Errorf("%s answers %d and leads to %q, want %q", from, response.StatusCode, got, adaContext+to)
		}
	}
	for _, path := range []string{adaContext + "?file=readme", "/agents/nobody/context", "/agents/nobody/context.svg", "/agents/nobody/context/index", "/agents/nobody/context?as_of=2026-01-02T10:00:00Z"} {
		s.get(t, path).expect(http.StatusNotFound)
	}
}

// pathOf matches the rectangle of a part of the bar.
var pathOf = regexp.MustCompile(`d="M([\d.]+) 0H([\d.]+)V44H`)

func TestFaultA7_BarIsFilled(t *testing.T) {
	t.Parallel()
	for _, n := range []int{474, 10_000} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			s := serve(t, differentMemories(n))
			page := s.get(t, adaContext)
			parts := pathOf.FindAllStringSubmatch(page.raw, -1)
			at, filled := 0.0, 0.0
			for i, part := range parts {
				from, to := number(t, part[1]), number(t, part[2])
				if from-at > 1 || from < at-0.02 {
					t.Errorf("between part %d and the one before are %.2f units", i, from-at)
				}
				at, filled = to, filled+to-from
			}
			limit := number(t, regexp.MustCompile(`class="limit" d="M([\d.]+) `).FindStringSubmatch(page.raw)[1])
			if at < limit || filled < 0.9*at {
				t.Errorf("%d parts fill %.0f of %.0f units; the limit is at %.0f", len(parts), filled, at, limit)
			}
			page.expect(http.StatusOK, "One-line entries")
			if over := words(page.Find(`.xray-labels [data-tone="danger"]`)); !strings.HasPrefix(over, "CLAUDE.md ") {
				t.Errorf("the overload is told as %q", over)
			}
			if size := packed(t, page.raw); len(page.raw) > 150_000 || size > 25_000 {
				t.Errorf("the page has %d bytes, %d compressed", len(page.raw), size)
			}
		})
	}
}

func packed(t *testing.T, text string) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestFaultA7_OverloadIsSaid(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = strings.Repeat("Mine. ", 24*memoirtest.ClaudeMDLimit/6)
	s := serve(t, files)
	s.get(t, adaContext).expect(http.StatusOK, "24 × the limit")
	picture := s.get(t, adaContext+".svg")
	if got := picture.Header.Get("Content-Type"); got != "image/svg+xml" || !strings.Contains(picture.raw, "24 × the limit") {
		t.Errorf("the picture is %q", got)
	}
	decoder := xml.NewDecoder(strings.NewReader(picture.raw))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
	if strings.Contains(picture.raw, "style") {
		t.Error("the picture has a style, which the policy forbids")
	}
}

func TestContextAsOf_ShowsChangesSince(t *testing.T) {
	t.Parallel()
	s, then := past(t)
	page := s.get(t, asOf(adaContext, then))
	page.expect(http.StatusOK, "Changed since then", "Back to now", "tokens enter every conversation")
	text := strings.Join(page.Find(".source li > [dir]").Map(func(_ int, l *selection) string { return l.Text() }), "\n")
	for _, part := range []string{"### Tabs\n\nUse tabs.", "### Release\n\nOn Tuesdays."} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q", part)
		}
	}
	if strings.Contains(text, "Kettle") || page.Find("#prompt, main form[method=post], a[data-picture]").Length() != 0 {
		t.Error("it has something of the present")
	}
	if href := page.Find(`.source a:contains("Tabs")`).AttrOr("href", ""); !strings.HasPrefix(href, asOf(pageOf(s.Memory("ada", "Tabs")), then)) {
		t.Errorf("a memory is at %q", href)
	}
	added, removed := strings.Join(page.each(".line[data-kind=added]"), "|"), strings.Join(page.each(".line[data-kind=removed]"), "|")
	if !strings.Contains(added, "### Kettle") || !strings.Contains(removed, "### Release") {
		t.Errorf("added is %q, removed is %q", added, removed)
	}
	s.get(t, asOf(adaContext, time.Now())).expect(http.StatusOK, "No change.")
}
