package gate

import "testing"

func TestUsers_Admits(t *testing.T) {
	t.Parallel()
	const open = 7 // an inode
	owner := users{self: 1000, unmapped: -1}
	nested := users{self: 65534, unmapped: 65534}
	for name, c := range map[string]struct {
		users users
		peer  peerSocket
		want  bool
	}{
		"the owner":            {owner, peerSocket{true, open, 1000}, true},
		"root":                 {owner, peerSocket{true, open, 0}, true},
		"another user":         {owner, peerSocket{true, open, 1001}, false},
		"closed, owner unkept": {owner, peerSocket{false, 0, 0}, false},
		"closing":              {owner, peerSocket{false, open, 1000}, false},
		"no process has it":    {owner, peerSocket{true, 0, 0}, false},
		"unmapped user":        {nested, peerSocket{true, open, 65534}, false},
		"nobody, all mapped":   {users{65534, -1}, peerSocket{true, open, 65534}, true},
		"root serves another":  {users{0, -1}, peerSocket{true, open, 1000}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.users.admits(c.peer); got != c.want {
				t.Errorf("admits(%+v) = %v, want %v", c.peer, got, c.want)
			}
		})
	}
}

func TestSignInCode_WorksOnce(t *testing.T) {
	t.Parallel()
	var code signInCode
	if code.use("") {
		t.Error("use() = true without a code")
	}
	code.set("secret")
	if code.use("other") || !code.use("secret") || code.use("secret") {
		t.Error("the code does not work exactly once")
	}
}
