package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// An absurdRequest is a request that no sensible client makes.
type absurdRequest struct{ name, raw string }

// absurdRequests returns requests with unusual targets, methods, headers, parameters and bodies.
// None of them changes anything. memory is the id of an existing memory.
func absurdRequests(memory string) []absurdRequest {
	var all []absurdRequest
	add := func(name, method, target, headers, body string) {
		head := method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers
		if body != "" {
			head += fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		all = append(all, absurdRequest{name, head + "\r\n" + body})
	}
	const api = "/api/v1/agents/ada/memories"
	one := api + "/" + memory

	for _, target := range []string{
		"/nothing", "/api/v1/nothing", "/api/v9/agents", "//", "/agents//memory", "/agents/ada/memory/" + strings.Repeat("9", 500),
		"/../../etc/passwd", "/static/../../go.mod", "/static/%2e%2e/%2e%2e/etc/passwd", "/static/..%2f..%2fgo.mod", "/static/", "/agents/..%2f..%2fetc/memory",
		"/agents/%00/memory", "/agents/%ff/memory", "/agents/ada%0d%0aX:y/memory", "/agents/．．／/memory", api + "/%00", api + "/..", one + "%00", one + "/../../..",
		"/agents/" + strings.Repeat("a", 30_000), "/api/v1/agents/" + strings.Repeat("%41", 15_000), "*", "http://localhost/%zz", "/%", "/api/v1/agents/ada/blocked/x", one + "/revisions?cursor=zz",
	} {
		add("target", "GET", target, "", "")
	}
	words := strings.TrimRight(strings.Repeat("a+", 20_000), "+")
	cjk := strings.TrimRight(strings.Repeat("%E6%9D%B1%E4%BA%AC+", 2_000), "+")
	for _, query := range []string{
		"q=" + manyWords(330, "+"), "limit=" + strings.Repeat("9", 1000), "limit=-1", "limit=1e3", "limit=0x10", "limit=", "limit=%00", "limit=1&limit=2", "sort=drop+table", "state=%27", "type=%22",
		"cursor=" + strings.Repeat("A", 30_000), "cursor=" + base64.RawURLEncoding.EncodeToString([]byte(`{"List":"x","At":null}`)), "cursor=%00", "name=%00", "name=%ff",
		"q=" + words, "q=" + cjk, "q=" + strings.Repeat("%F0%9F%99%82", 5000), "q=%27%27%3A*%20%26%20!", "q=%00", "q=" + strings.Repeat("(", 20_000), "as_of=9999999-01-01", "as_of=0000-00-00T00:00:00Z",
		strings.Repeat("a&", 30_000), strings.Repeat("limit=5&", 7_000), strings.Repeat("a=%zz;", 5_000), "q=" + strings.Repeat("x", 60_000),
	} {
		add("query of a list "+query[:min(len(query), 12)], "GET", api+"?"+query, "", "")
		add("query of the search "+query[:min(len(query), 12)], "GET", "/api/v1/search?"+query, "", "")
		add("query of a page "+query[:min(len(query), 12)], "GET", "/agents/ada/memory?"+query, "", "")
		add("query of the search page "+query[:min(len(query), 12)], "GET", "/search?"+query, "", "")
	}
	for _, query := range []string{"cursor=AAAA", "kind=x", "actor=%00", "session=%ff", "name=%00", "limit=501"} {
		add("query of the activity", "GET", "/api/v1/activity?"+query, "", "")
		add("query of the activity page", "GET", "/activity?"+query, "", "")
	}
	for _, method := range []string{"PUT", "OPTIONS", "TRACE", "PROPFIND", "get", "X", strings.Repeat("M", 5000)} {
		for _, target := range []string{"/", api, one, "/static/memoir.css", "/sign-in", "/healthz"} {
			add("method "+method[:1], method, target, "", "")
		}
	}
	for name, headers := range map[string]string{
		"foreign host": "X: y\r\nhost: evil.example\r\n", "many headers": manyHeaders(800), "long header": "X: " + strings.Repeat("y", 60_000) + "\r\n", "too long a head": "X: " + strings.Repeat("y", 200_000) + "\r\n",
		"cookies": "Cookie: " + strings.Repeat("memoir_session_0=x.y; ", 2000) + "\r\n", "etags": "If-Match: " + strings.Repeat(`"a", `, 8000) + `"b"` + "\r\n", "one etag": "If-None-Match: \"" + strings.Repeat("x", 30_000) + "\"\r\n",
		"ranges": "Range: bytes=" + strings.Repeat("0-,", 10_000) + "0-\r\n", "encodings": "Accept-Encoding: " + strings.Repeat("gzip;q=0.1, ", 4000) + "\r\n", "languages": "Accept-Language: " + strings.Repeat("de-DE-x-", 7000) + "\r\n",
		"authorization": "Authorization: Bearer " + strings.Repeat("x", 30_000) + "\r\n", "part of a page": "HX-Request: true\r\nHX-Current-URL: http://%zz/\r\nHX-Target: <x>\r\n", "expectation": "Expect: the-unexpected\r\n", "upgrade": "Connection: Upgrade\r\nUpgrade: h2c\r\n",
	} {
		for _, target := range []string{"/", one, "/static/memoir.css", "/agents/ada/memory"} {
			add("headers: "+name, "GET", target, headers, "")
		}
	}
	const asJSON, asForm = "Content-Type: application/json\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"
	for name, body := range map[string]string{
		"deep": strings.Repeat("[", 100_000), "deep objects": strings.Repeat(`{"a":`, 20_000), "not JSON": "{", "invalid UTF-8": "{\"name\":\"\xff\",\"type\":\"user\"}", "NUL": "{\"name\":\"a\\u0000\",\"type\":\"user\"}",
		"a huge number": `{"name":` + strings.Repeat("9", 100_000) + `}`, "many keys": `{` + strings.TrimRight(strings.Repeat(`"a":1,`, 50_000), ",") + `}`, "unknown fields": `{"name":"A","type":"user","x":1}`, "a long name": `{"name":"` + strings.Repeat("n", 100_000) + `","type":"user"}`,
		"no name": `{"type":"user"}`, "an unknown type": `{"name":"A","type":"🙂"}`, "too large": `{"name":"A","type":"user","body":"` + strings.Repeat("b", 1<<20+1) + `"}`, "half a character": `{"name":"\ud800","type":"user"}`,
	} {
		add("JSON: "+name, "POST", api, asJSON, body)
		// a megabyte once is enough, and a change needs no name
		if name != "too large" && name != "no name" {
			add("JSON: "+name+", for a memory", "PATCH", one, asJSON, body)
			add("JSON: "+name+", for nobody", "POST", "/api/v1/agents/nobody/memories", asJSON, body)
		}
	}
	const asCall = asJSON + "Accept: application/json, text/event-stream\r\n"
	const newest = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for name, body := range map[string]string{
		"deep": strings.Repeat("[", 100_000), "deep objects": strings.Repeat(`{"jsonrpc":`, 20_000), "not JSON": "{", "nothing": "{}", "invalid UTF-8": "{\"method\":\"\xff\"}", "too large": strings.Repeat(" ", 2<<20) + "{}",
		"a batch": `[` + strings.TrimRight(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 1000), ",") + `]`, "an unknown method": `{"jsonrpc":"2.0","id":1,"method":"a/b"}`, "no id": `{"jsonrpc":"2.0","method":"tools/list"}`,
		"an answer": `{"jsonrpc":"2.0","id":1,"result":{}}`, "a notification": `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "an id of another kind": `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"an unknown tool": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0000"}}`, "no parameters": `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "parameters of another kind": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`,
		"deep arguments":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_memory","arguments":{"name":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}}`,
		"an unknown prompt": `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`, "a prompt without arguments": `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"memory_show"}}`,
		"an odd resource": `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\u0001\u2028"}}`, "a subscription": `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"memoir://agents/ada/claude-md"}}`,
		"a cursor": `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"\u0000"}}`, "a completion": `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`, "an initialization": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"9"}}`,
	} {
		add("MCP: "+name, "POST", "/mcp", asCall, body)
		add("MCP, for an unknown agent: "+name, "POST", "/mcp?agent=%00", asCall+"MCP-Protocol-Version: 2026-07-28\r\n", body)
	}
	add("MCP: an endless subscription", "POST", "/mcp", asCall+"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{`+newest+`,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["memoir://agents/ada/claude-md"]}}}`)
	for name, body := range map[string]string{
		"no command": `{"path":"/memories"}`, "an unknown command": `{"command":"\ud83d\ude42","path":"/memories"}`, "a command of another type": `{"command":{"view":1}}`,
		"a path that leads out": `{"command":"view","path":"/memories/../../../etc/passwd"}`, "an encoded one": `{"command":"view","path":"/memories/` + strings.Repeat("%25", 30_000) + `"}`,
		"a long path": `{"command":"view","path":"/memories/` + strings.Repeat("a/", 30_000) + `"}`, "a NUL": `{"command":"view","path":"/memories/\u0000"}`,
		"lines far off": `{"command":"view","path":"/memories","view_range":[-9223372036854775808,9223372036854775807]}`, "a line far off": `{"command":"insert","path":"/memories/none.md","insert_line":9223372036854775807,"insert_text":""}`,
		"more than a line number": `{"command":"insert","path":"/memories/none.md","insert_line":1e300,"insert_text":""}`, "a long text": `{"command":"str_replace","path":"/memories/none.md","old_str":"` + strings.Repeat("a", 200_000) + `"}`,
		"the root": `{"command":"rename","old_path":"/memories","new_path":"/memories/a"}`,
	} {
		add("memory tool: "+name, "POST", "/api/v1/agents/ada/memory-tool", asJSON, body)
	}
	add("batch of nonsense", "POST", api+":batch", asJSON, `{"delete":["`+strings.Repeat(`x","`, 400)+`y"],"restore":["..",""],"verify":[null]}`)
	add("batch of a huge list", "POST", api+":batch", asJSON, `{"delete":["`+strings.Repeat(`00000000-0000-0000-0000-000000000000","`, 20_000)+`y"]}`)
	add("no JSON", "POST", api, "Content-Type: text/xml\r\n", "<a/>")
	add("a huge type", "POST", api, "Content-Type: "+strings.Repeat("a/", 20_000)+"\r\n", "{}")
	add("a form of nothing", "POST", "/agents/ada/memory/new", asForm, "%zz&;&=&name=%00")
	add("a form with many fields", "POST", "/agents/ada/memory/new", asForm, strings.Repeat("a=b&", 50_000))
	add("a form too large", "POST", "/theme", asForm, strings.Repeat("a", 100_000))
	add("a form in parts", "POST", "/agents/ada/memory/new", "Content-Type: multipart/form-data; boundary=x\r\n", "--x\r\nContent-Disposition: form-data; name=name\r\n\r\n")
	add("a file that is not wanted", "POST", "/agents/ada/index/rebuild", asForm, "etag=%22x%22")
	add("a memory that is not there", "POST", "/agents/ada/memory/"+strings.Repeat("0", 36)+"/delete", asForm, "etag=x")
	add("a deletion with an old tag", "DELETE", one, "If-Match: \"x\"\r\n", "")
	add("a batch of pages", "POST", "/agents/ada/memory/batch/delete", asForm, strings.Repeat("memory=x&", 5000))
	add("a write from elsewhere", "DELETE", one, "Sec-Fetch-Site: cross-site\r\n", "")
	add("forgetting who is there", "DELETE", "/api/v1/agents/ada", "", "")
	add("a body where none belongs", "GET", one, asJSON, "{}")
	for name, raw := range map[string]string{
		"no HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "no host": "GET / HTTP/1.1\r\n\r\n", "two hosts": "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "another version": "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n",
		"two lengths": "POST " + api + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", "a length of less than nothing": "POST " + api + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"a length and chunks": "POST " + api + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "broken chunks": "POST " + api + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
		"a header without a name": "GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n", "a header with a space": "GET / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n", "a bare line end": "GET / HTTP/1.1\nHost: localhost\n\n", "foreign host": "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"chunks of nothing": "POST /nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\na\r\n", 2000) + "0\r\n\r\n", "a tunnel": "CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		all = append(all, absurdRequest{"raw: " + name, raw})
	}
	return all
}

func manyHeaders(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "X-%d: y\r\n", i)
	}
	return all.String()
}

// manyWords returns n different words.
func manyWords(n int, between string) string {
	all := make([]string, n)
	for i := range n {
		all[i] = string(rune('a'+i/26)) + string(rune('a'+i%26))
	}
	return strings.Join(all, between)
}

// mangled changes a few bytes of a request and closes the connection, because the end of such a
// request is unknown.
func mangled(raw string, random *rand.Rand) string {
	bytes := []byte(raw)
	for range 1 + random.IntN(3) {
		bytes[random.IntN(min(len(bytes), 200))] = byte(random.IntN(256))
	}
	return strings.Replace(string(bytes), "\r\nHost: ", "\r\nConnection: close\r\nHost: ", 1)
}
