package local

import "testing"

func TestSharedBuffers_Memory(t *testing.T) {
	t.Parallel()
	const gigabyte = 1 << 30
	for _, c := range []struct {
		memory uint64
		want   string
	}{
		{0, "128MB"}, {gigabyte / 2, "128MB"}, {4 * gigabyte, "256MB"}, {6 * gigabyte, "384MB"}, {24 * gigabyte, "384MB"}, {1 << 63, "384MB"},
	} {
		if got := sharedBuffers(c.memory); got != c.want {
			t.Errorf("of %d bytes: %s, not %s", c.memory, got, c.want)
		}
	}
}
