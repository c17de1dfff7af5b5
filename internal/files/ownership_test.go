package files

import "testing"

func TestOwners_Add(t *testing.T) {
	t.Parallel()
	const alice, bob = 1000, 1001
	for name, c := range map[string]struct {
		self  int
		found []int
		want  bool
	}{
		"own":                   {alice, []int{0, alice, alice}, true},
		"root's":                {alice, []int{0, 0}, true},
		"another user's":        {alice, []int{0, bob}, false},
		"root, one user":        {0, []int{0, bob, bob}, true},
		"root, root in between": {0, []int{bob, 0, bob}, true},
		"root, two users":       {0, []int{bob, alice}, false},
		"no owners":             {noOwner, []int{noOwner, noOwner}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := owners{self: c.self, found: noOwner}
			got := true
			for _, uid := range c.found {
				got = got && o.add(uid, "/x") == nil
			}
			if got != c.want {
				t.Errorf("owners %v are allowed: %v, want %v", c.found, got, c.want)
			}
		})
	}
}

func TestMayLink_Owners(t *testing.T) {
	t.Parallel()
	const alice, bob = 1000, 1001
	for name, c := range map[string]struct {
		self, link, target int
		want               bool
	}{
		"root's link":               {alice, 0, bob, true},
		"own link":                  {alice, alice, bob, true},
		"owner of both":             {alice, bob, bob, true},
		"link to own file":          {alice, bob, alice, false},
		"link to root's file":       {0, bob, 0, false},
		"as root, owner of both":    {0, bob, bob, true},
		"as root, to another's":     {0, bob, alice, false},
		"as root, root's to a user": {0, 0, alice, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := mayLink(c.self, c.link, c.target); got != c.want {
				t.Errorf("mayLink(%d, %d, %d) = %v, want %v", c.self, c.link, c.target, got, c.want)
			}
		})
	}
}
