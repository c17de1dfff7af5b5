package main

import (
	"net/url"
	"slices"
	"time"
)

// crashActivity is what is needed of one thing that happened.
type crashActivity struct {
	Kind, Name, State, Hash string
	MemoryID                string `json:"memory_id"`
}

// checkJournal: the story of each memory makes sense step by step, nothing in it happened twice, and it ends with what is.
func (v *victim) checkJournal() {
	v.Helper()
	var happened []crashActivity
	for cursor := ""; ; {
		var page struct {
			Activity   []crashActivity
			NextCursor string `json:"next_cursor"`
		}
		if status, err := v.call("GET", "/api/v1/agents/ada/activity?limit=500&cursor="+url.QueryEscape(cursor), nil, &page); status != 200 {
			v.Fatal(status, err)
		}
		happened = append(happened, page.Activity...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	now := map[string]crashActivity{}
	for _, h := range slices.Backward(happened) {
		if h.State == "" {
			continue // of a content, not of the memory
		}
		if before, known := now[h.MemoryID]; !follows(before, known, h) {
			v.Errorf("the journal says that %s was %s (%s, %s), after it had been %s (%s, %s)",
				h.Name, h.Kind, h.State, h.Hash, before.Kind, before.State, before.Hash)
		}
		now[h.MemoryID] = h
	}
	for _, state := range []string{"active", "deleted"} {
		for _, m := range v.list(state) {
			if now[m.ID].State != state {
				v.Errorf("the journal leaves %s %s, and it is %s", m.Name, now[m.ID].State, state)
			}
			delete(now, m.ID)
		}
		v.checkPresentAsPast(state)
	}
	for _, h := range now {
		v.Errorf("the journal leaves %s %s, and there is no such memory", h.Name, h.State)
	}
}

// follows says whether that can happen after what happened before.
func follows(before crashActivity, known bool, h crashActivity) bool {
	switch h.Kind {
	case "learned":
		return !known && h.State == "active"
	case "changed":
		return before.State == "active" && h.State == "active" && h.Hash != before.Hash
	case "deleted":
		return before.State == "active" && h.State == "deleted"
	case "restored":
		return before.State == "deleted" && h.State == "active"
	default:
		return false // nothing else is done to the agent
	}
}

// checkPresentAsPast: what the journal says of this moment is what is.
func (v *victim) checkPresentAsPast(state string) {
	v.Helper()
	var past struct{ Memories []crashMemory }
	at := url.QueryEscape(time.Now().Format(time.RFC3339Nano))
	if status, err := v.call("GET", "/api/v1/agents/ada/memories?limit=500&state="+state+"&as_of="+at, nil, &past); status != 200 {
		v.Fatal(status, err)
	}
	present := v.list(state)
	same := func(a, b crashMemory) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Type == b.Type && a.Body == b.Body && a.State == b.State
	}
	if !slices.EqualFunc(past.Memories, present, same) {
		v.Errorf("%s as of now: %+v, and it is %+v", state, past.Memories, present)
	}
}
