package api_test

import (
	"strings"
	"testing"
)

func TestETag_OfEveryMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	seen := map[string]bool{}
	for _, r := range []reply{
		s.call("GET", at, nil), s.call("PATCH", at, object{"body": "Two."}), s.call("DELETE", at, nil),
		s.call("POST", at+"/restore", nil), s.call("POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "user", "body": "Three."}),
	} {
		tag := r.header.Get("ETag")
		if r.status != 200 || !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) || len(tag) < 10 {
			t.Errorf("status %d, entity tag %q", r.status, tag)
		}
		seen[tag] = true
	}
	if len(seen) != 4 { // restoring gives back the tag after the patch
		t.Errorf("%d different entity tags, want 4", len(seen))
	}
}

func TestIfMatch_Stale(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	stale := s.call("GET", at, nil).header.Get("ETag")
	fresh := s.call("PATCH", at, object{"body": "Newer."}).header.Get("ETag")
	before := s.Read("ada/memory/tabs.md")
	for _, tag := range []string{stale, `"other"`, "unquoted", ",", "W/" + fresh, stale + `, "other"`} {
		s.problem(s.call("PATCH", at, object{"body": "Mine."}, "If-Match", tag), 412)
		s.problem(s.call("DELETE", at, nil, "If-Match", tag), 412)
		s.problem(s.call("DELETE", at+"?purge=true", nil, "If-Match", tag), 412)
		s.problem(s.call("POST", at+"/restore", nil, "If-Match", tag), 412)
	}
	if s.Read("ada/memory/tabs.md") != before {
		t.Error("a refused write changed the file")
	}
	fresh = s.call("PATCH", at, object{"body": "Mine."}, "If-Match", stale+", "+fresh).header.Get("ETag")
	s.ok(200, "PATCH", at, object{"body": "Any."}, "If-Match", "*")
	s.problem(s.call("DELETE", at, nil, "If-Match", fresh), 412)
	fresh = s.call("GET", at, nil).header.Get("ETag")
	s.ok(200, "DELETE", at, nil, "If-Match", fresh)
	s.problem(s.call("POST", at+"/restore", nil, "If-Match", fresh), 412)
}

// RFC 9110 section 5.3 treats repeated headers of one name as one list.
func TestIfMatch_SeveralLines(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	for _, lines := range []string{`"other"|TAG`, `TAG|"other"`, `"one", "other"|"third"|TAG`, `|TAG`} {
		tag := s.call("GET", at, nil).header.Get("ETag")
		var has, holds []string
		for line := range strings.SplitSeq(strings.ReplaceAll(lines, "TAG", tag), "|") {
			has, holds = append(has, "If-None-Match", line), append(holds, "If-Match", line)
		}
		if r := s.call("GET", at, nil, has...); r.status != 304 {
			t.Errorf("If-None-Match %q: status %d", has, r.status)
		}
		s.ok(200, "PATCH", at, object{"description": lines}, holds...)
		s.problem(s.call("PATCH", at, object{"description": "Mine."}, holds...), 412)
	}
	s.problem(s.call("DELETE", at, nil, "If-Match", `"other"`, "If-Match", `"another"`), 412)
	s.problem(s.call("DELETE", at, nil, "If-Match", "", "If-Match", `"another"`), 412)
}

func TestIfNoneMatch_NotModified(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	tag := s.call("GET", at, nil).header.Get("ETag")
	for _, header := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		r := s.call("GET", at, nil, "If-None-Match", header)
		if r.status != 304 || len(r.raw) != 0 || r.header.Get("ETag") != tag {
			t.Errorf("%s: status %d, body %q", header, r.status, r.raw)
		}
	}
	if r := s.call("GET", at, nil, "If-None-Match", `"other"`); r.status != 200 || len(r.raw) == 0 {
		t.Errorf("another entity tag: status %d", r.status)
	}
}
