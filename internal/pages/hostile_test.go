package pages_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// hostileBodies are bodies that try to take over, deface or block a page. WEB is a placeholder for
// a server that must never receive a request.
func hostileBodies() map[string]string {
	const megabyte = 1 << 20
	return map[string]string{
		"tags": `<script>document.documentElement.dataset.taken = 1</script><script src="WEB/x.js"></script>
<img src="WEB/x.png" onerror="document.documentElement.dataset.taken = 1"><style>@import "WEB/x.css"; body { display: none }</style>
<link rel="stylesheet" href="WEB/x.css"><iframe src="WEB/"></iframe><object data="WEB/"></object><base href="WEB/">
<meta http-equiv="refresh" content="0;url=WEB/">
<svg onload="document.documentElement.dataset.taken = 1"><image href="WEB/x.png"/><use href="WEB/x.svg#a"/><script>document.documentElement.dataset.taken = 1</script></svg>
<math><mtext><style><img src="WEB/x.png"></style></mtext></math>
<form action="WEB/" method="post"><button autofocus>Delete all</button></form><video src="WEB/x.mp4" autoplay></video>
<!-- <script>document.documentElement.dataset.taken = 1</script> -->`,
		"ids": `<main id="main"></main><div id="notices" class="toast">x</div><header class="site">x</header><p id="connection">x</p>
<template id="unanswered"></template><a name="main" id="htmx">x</a><div hx-get="/x" hx-trigger="load" style="position:fixed;inset:0">x</div>

# main {#main}`,
		"links": `[a](javascript:document.documentElement.dataset.taken=1) [b](data:text/html,<script>x</script>) [c](file:///etc/passwd) [d](//evil.example/)
[e](/agents/hostile/forget) ![f](WEB/f.png) ![g](data:image/png;base64,AAAA) ![h][h] <javascript:alert(1)> [[tags]] [i](vbscript:x)

[h]: WEB/h.png`,
		"words":        strings.Repeat("a", 5_000) + "\n\n`" + strings.Repeat("b", 5_000) + "`\n\n# " + strings.Repeat("c", 5_000) + "\n\n- " + strings.Repeat("d", 5_000) + "\n\n[" + strings.Repeat("e", 5_000) + "](https://example.com/" + strings.Repeat("f", 5_000) + ")",
		"marks":        "\u202e\u2067reversed \u2066\u2069\u2069\u202c " + strings.Repeat("Z\u0300\u0301\u0489\u0488", 300) + " z\u200be\u200dr\u2060o " + strings.Repeat("\u202b", 500) + "x",
		"nested":       strings.Repeat("> ", 200) + "quote\n\n" + strings.Repeat("- ", 200) + "list\n\n" + strings.Repeat("[", 200) + "x" + strings.Repeat("]", 200),
		"nested a bit": strings.Repeat("> ", 49) + "quote\n\n" + strings.Repeat("- ", 49) + strings.Repeat("word", 50),
		"long":         strings.Repeat("A sentence of many words, and *some* of them stand out.\n\n", megabyte/60),
		"one line":     strings.Repeat("word ", megabyte/6),
		"table":        "|a|b|c|\n|-|:-:|-:|\n" + strings.Repeat("|one|two words|"+strings.Repeat("x", 40)+"|\n", 10_000),
		"wide table":   strings.Repeat("|a", 200) + "|\n" + strings.Repeat("|-", 200) + "|\n" + strings.Repeat("|wide", 200) + "|",
		"code":         "```\n" + strings.Repeat("x", 10_000) + "\n```\n\n    " + strings.Repeat("y", 10_000),
	}
}

// hostileNames are names that try to break out of their element. A name is one quoted line of YAML.
var hostileNames = []string{
	`<script>document.documentElement.dataset.taken = 1</script>`,
	`</h1></main><main id='main'>`,
	"\u202e\u2067 gnp.reversed \u2069\u2069\u202e",
	strings.Repeat("Z\u0300\u0301\u0489", 60),
	strings.Repeat("w", 5_000),
	"\u200b\u200d\u2060",
	`javascript:alert(1)`,
	`{{ .Name }} ${name} %s`,
}

func hostileIsHarmless(t *testing.T, browser context.Context) {
	axe := axeCore(t)
	asked := make(chan string, 100)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(web.Close)
	const session = "/sessions/U<b>x-C\u202ey-1.1/memory/"
	files := memoirtest.Files{
		"<img src=x onerror=alert(1)>/memory/a.md": memoirtest.Note("A", memories.User, "x"),
		"hostile/CLAUDE.md":                        "<script>document.documentElement.dataset.taken = 1</script>\n\n" + strings.Repeat("w", 5_000) + "\n",
		"hostile/memory/MEMORY.md":                 "- [x](javascript:alert(1)) <script>document.documentElement.dataset.taken = 1</script>\n- [" + strings.Repeat("w", 5_000) + "](gone.md)\n",
	}
	for name, body := range hostileBodies() {
		files["hostile/memory/"+name+".md"] = memoirtest.Note(name, memories.Project, strings.ReplaceAll(body, "WEB", web.URL))
	}
	for i, name := range hostileNames {
		text := "---\nname: \"" + name + "\"\ndescription: \"" + name + "\"\ntype: feedback\n---\n\nx\n"
		files["hostile/memory/"+strings.Repeat("n", i+1)+".md"] = text
		files["hostile"+session+strings.Repeat("s", i+1)+".md"] = strings.Replace(text, "type: feedback", "type: none of these", 1)
	}
	s := serve(t, files)
	p := open(t, browser, s, "/", person{allowed: []string{"404 (Not Found)"}})
	p.seen(looks[0])
	frame := p.frame()

	addresses, _ := s.walk(t, "/", "/agents/hostile/memory")
	ids := s.idsOf(t, "hostile")
	if len(ids) < len(hostileBodies())+len(hostileNames) {
		t.Fatalf("there are %d memories only", len(ids))
	}
	for _, id := range ids {
		addresses = append(addresses, "/agents/hostile/memory/"+id)
	}
	for i, address := range addresses {
		if i%pagesPerTab == 0 {
			p = open(t, browser, s, "/", person{allowed: []string{"404 (Not Found)"}})
		}
		p.follow(chromedp.Navigate(s.address + address))
		p.do(chromedp.Evaluate[chromedp.Void](axe))
		for _, look := range []look{looks[0], looks[3]} {
			p.seen(look)
			faults := p.cutOff()
			// axe-core takes minutes for very many elements
			if p.holds(`document.querySelectorAll("*").length < 3000`) {
				faults = append(faults, p.violations(look.rules)...)
			}
			if look.name == looks[0].name && p.frame() != frame {
				faults = append(faults, "the frame of the page is not where it was: "+p.frame())
			}
			if p.holds(`document.documentElement.dataset.taken !== undefined`) {
				faults = append(faults, "a script ran")
			}
			for _, fault := range faults {
				t.Errorf("%.120s, %s: %s", address, look.name, fault)
			}
		}
	}
	select {
	case path := <-asked:
		t.Errorf("somebody else's server was asked for %s", path)
	default:
	}
}

// frame returns the links in the site's header, and whether they are at the top of the page.
func (p *tab) frame() string {
	return strings.Join(p.list(`[...document.querySelectorAll("header.site .wordmark, header.site nav a")].map(e =>
		e.innerText.trim() + (e.getBoundingClientRect().top < 40 ? "" : " is too low"))`), "\n")
}

// idsOf returns the ids of an agent's memories from the API.
func (s *site) idsOf(t *testing.T, slug string) []string {
	t.Helper()
	response, err := http.Get(s.address + "/api/v1/agents/" + slug + "/memories?limit=500")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	var list struct{ Memories []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range list.Memories {
		ids = append(ids, m.ID)
	}
	return ids
}
