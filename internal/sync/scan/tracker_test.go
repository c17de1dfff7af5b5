package scan

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/agents"
)

const (
	showAfter = 10 * time.Second
	overdue   = 30 * time.Second
)

var errDisk = errors.New("disk failed")

// block records that a directory of an agent cannot be read.
func block(s *Tracker, slug, path string) {
	found := []agents.Blocked{{Dir: "/agents/" + slug + "/" + path, Owner: "ada", Reason: "permission denied"}}
	s.Block(slug, []string{path}, found, func(agents.Blocked) string { return path })
}

func TestTracker_Problems(t *testing.T) {
	t.Parallel()
	const (
		failedText  = "Directory cannot be scanned: disk failed. Memories keep their last state. Memoir tries again."
		blockedText = "/agents/a/memory cannot be read (permission denied)."
		blockedTwo  = "/agents/a/memory cannot be read (permission denied), and 1 more."
		lateText    = "The scan has been running for 31 seconds. Other agents do not wait for it."
	)
	for _, tt := range []struct {
		name string
		do   func(s *Tracker)
		want string // the problem of agent a
	}{
		{"no scan", func(*Tracker) {}, ""},
		{"running scan", func(s *Tracker) { s.Begin("a"); time.Sleep(overdue) }, ""},
		{"late scan", func(s *Tracker) { s.Begin("a"); time.Sleep(overdue + time.Second) }, lateText},
		{
			"very late scan", func(s *Tracker) { s.Begin("a"); time.Sleep(2 * time.Minute) },
			"The scan has been running for 2 minutes. Other agents do not wait for it.",
		},
		{"late scan ended", func(s *Tracker) { s.Begin("a"); time.Sleep(time.Minute); s.End("a", nil) }, ""},
		{"full scan failed", func(s *Tracker) { s.Begin("a"); s.End("a", errDisk) }, failedText},
		{"next full scan succeeded", func(s *Tracker) { s.End("a", errDisk); s.End("a", nil) }, ""},
		{"requested scan failed just now", func(s *Tracker) { s.Fail("a", false, errDisk); time.Sleep(showAfter) }, ""},
		{"requested scan keeps failing", func(s *Tracker) { s.Fail("a", false, errDisk); time.Sleep(showAfter + 1) }, failedText},
		{
			"time of the first failure", func(s *Tracker) {
				s.Fail("a", false, errors.New("earlier error"))
				time.Sleep(showAfter)
				s.Fail("a", false, errDisk)
				time.Sleep(time.Nanosecond)
			}, failedText,
		},
		{"requested scan succeeded again", func(s *Tracker) { s.Fail("a", false, errDisk); time.Sleep(time.Minute); s.Succeed("a", false) }, ""},
		{"full scan still fails", func(s *Tracker) { s.Fail("a", true, errDisk); time.Sleep(time.Minute); s.Succeed("a", false) }, failedText},
		{"full scan succeeded again", func(s *Tracker) { s.Fail("a", true, errDisk); time.Sleep(time.Minute); s.Succeed("a", true) }, ""},
		{"success clears background failure", func(s *Tracker) { s.End("a", errDisk); s.Succeed("a", true) }, ""},
		{"single path clears nothing", func(s *Tracker) { s.End("a", errDisk); s.Succeed("a", false) }, failedText},
		{"unreadable directory", func(s *Tracker) { block(s, "a", "memory") }, blockedText},
		{"two unreadable directories", func(s *Tracker) { block(s, "a", "sessions"); block(s, "a", "memory") }, blockedTwo},
		{"directory is readable again", func(s *Tracker) { block(s, "a", "memory"); s.unblock("a", "memory") }, ""},
		{"failure before unreadable directory", func(s *Tracker) { block(s, "a", "memory"); s.End("a", errDisk) }, failedText},
		{"late before failed", func(s *Tracker) { s.End("a", errDisk); s.Begin("a"); time.Sleep(overdue + time.Second) }, lateText},
		{"unreadable directory of discovery", func(s *Tracker) { block(s, "", "memory") }, ""},
		{"agent is forgotten", func(s *Tracker) {
			block(s, "a", "memory")
			s.End("a", errDisk)
			s.Fail("a", false, errDisk)
			time.Sleep(time.Minute)
			s.Forget(func(string) bool { return false })
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := NewTracker(showAfter, overdue)
				tt.do(s)
				want := map[string]string{}
				if tt.want != "" {
					want["a"] = tt.want
				}
				if got := s.Problems(); !maps.Equal(got, want) {
					t.Errorf("Problems() = %q, want %q", got, want)
				}
			})
		})
	}
}

func TestTracker_DiscoveryFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewTracker(showAfter, overdue)
		s.Fail("", true, errDisk)
		time.Sleep(time.Minute)
		s.Forget(func(string) bool { return false })
		if got := s.Problems(); len(got) != 1 || got[""] == "" {
			t.Errorf("Problems() = %q, want one with an empty slug", got)
		}
	})
}

func TestTracker_List(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewTracker(showAfter, overdue)
		s.Begin("late")
		s.Fail("failing", false, errDisk)
		time.Sleep(overdue + time.Second)
		s.End("failed", errDisk)
		s.Fail("young", false, errDisk)
		block(s, "closed", "memory")
		s.Block("", []string{"."}, []agents.Blocked{
			{Dir: "/agents/closed/memory", Reason: "permission denied"}, {Dir: "/agents/z", Reason: "not a directory"},
		}, func(b agents.Blocked) string { return b.Dir })
		want := []Problem{
			{Path: "/agents/z", Reason: "not a directory"},
			{Agent: "closed", Path: "/agents/closed/memory", Owner: "ada", Reason: "permission denied"},
			{Agent: "failed", Reason: "disk failed"},
			{Agent: "failing", Reason: "disk failed"},
			{Agent: "late", Reason: "the scan has been running for 31 seconds"},
		}
		if got := s.List(); !slices.Equal(got, want) {
			t.Errorf("List() =\n%+v\nwant\n%+v", got, want)
		}
	})
}

func TestTracker_BlockReplaces(t *testing.T) {
	t.Parallel()
	s := NewTracker(showAfter, overdue)
	for _, path := range []string{"memory", "memory/sub", "memory2", "sessions"} {
		block(s, "a", path)
	}
	s.Block("a", []string{"memory"}, nil, nil)
	var got []string
	for _, p := range s.List() {
		got = append(got, p.Path)
	}
	if want := []string{"/agents/a/memory2", "/agents/a/sessions"}; !slices.Equal(got, want) {
		t.Errorf("unreadable directories = %q, want %q", got, want)
	}
}

func TestTracker_Begin(t *testing.T) {
	t.Parallel()
	s := NewTracker(showAfter, overdue)
	if !s.Begin("a") || s.Begin("a") || !s.Begin("b") {
		t.Error("Begin() does not refuse exactly the second scan of an agent")
	}
	s.End("a", nil)
	if !s.Begin("a") {
		t.Error("Begin() = false after End")
	}
}

func TestTracker_Late(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewTracker(showAfter, overdue)
		for _, slug := range []string{"b", "a", "ended"} {
			s.Begin(slug)
		}
		time.Sleep(overdue)
		if got := s.Late(); got != nil {
			t.Errorf("Late() = %q after exactly Overdue, want none", got)
		}
		s.Begin("young")
		s.End("ended", errDisk)
		time.Sleep(time.Nanosecond)
		if got, want := s.Late(), []string{"a", "b"}; !slices.Equal(got, want) {
			t.Errorf("Late() = %q, want %q", got, want)
		}
	})
}

func TestTracker_LateScanEnded(t *testing.T) {
	t.Parallel()
	s := NewTracker(showAfter, overdue)
	s.LateScanEnded()
	s.LateScanEnded() // does not block
	if n := len(s.LateScanDone()); n != 1 {
		t.Errorf("LateScanDone() has %d values, want 1", n)
	}
}

func TestTracker_FailWidens(t *testing.T) {
	t.Parallel()
	s := NewTracker(showAfter, overdue)
	if s.Fail("a", false, errDisk) {
		t.Error("Fail() = true for the first failure")
	}
	if !s.Fail("a", false, errDisk) {
		t.Error("Fail() = false for the second failure")
	}
	s.Succeed("a", false)
	if s.Fail("a", false, errDisk) {
		t.Error("Fail() = true for the first failure after a success")
	}
}

func TestTracker_SetReady(t *testing.T) {
	t.Parallel()
	s := NewTracker(showAfter, overdue)
	if s.IsReady() || s.SetReady() || !s.IsReady() || !s.SetReady() {
		t.Error("SetReady() does not report exactly the second call")
	}
}
