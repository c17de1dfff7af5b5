package exchange

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestDecide_Rules(t *testing.T) {
	t.Parallel()
	one, two, three := Fingerprint{1}, Fingerprint{2}, Fingerprint{3}
	at := func(minute int) time.Time { return time.Date(2026, 11, 1, 12, minute, 0, 0, time.UTC) }
	living := func(minute int, history ...Fingerprint) Known {
		return Known{ID: uuid.New(), Readable: true, Living: true, Current: history[len(history)-1], History: history, Since: at(minute)}
	}
	deleted := func(minute int, history ...Fingerprint) Known {
		k := living(minute, history...)
		k.Living, k.Tombstones = false, map[Fingerprint]time.Time{}
		for _, f := range history {
			k.Tombstones[f] = at(minute)
		}
		return k
	}
	onDisk := func(minute int, history ...Fingerprint) Known {
		k := deleted(minute, history...)
		k.Tombstones = nil
		return k
	}
	purged := func(minute int, history ...Fingerprint) Known {
		return Known{Tombstones: deleted(minute, history...).Tombstones}
	}
	with := func(k Known, change func(*Known)) Known {
		change(&k)
		return k
	}
	kept := func(minute int, k Known) Known {
		k.KeptAt = at(minute)
		return k
	}
	for _, tt := range []struct {
		name         string
		mine, theirs Known
		want         Outcome
		conflict     Conflicting
	}{
		{"new there", Known{}, living(1, one), New, ""},
		{"new in the trash", Known{}, deleted(1, one), New, ""},
		{"equal", living(1, one), living(5, one), Same, ""},
		{"they are ahead", living(1, one), living(2, one, two), Changed, ""},
		{"I am ahead", living(2, one, two), living(1, one), Newer, ""},
		{"both know both, theirs newer", living(2, one, two), living(3, two, one), Changed, ""},
		{"both know both, mine newer", living(4, one, two), living(3, two, one), Newer, ""},
		{"both changed", living(2, one, two), living(3, one, three), Conflict, BothChanged},
		{"unrelated", living(2, two), living(3, three), Conflict, BothChanged},
		{"deleted here later", deleted(5, one), living(1, one), Tombstoned, ""},
		{"deleted here at once", deleted(5, one), living(5, one), Tombstoned, ""},
		{"purged here", purged(5, one), living(1, one), Tombstoned, ""},
		{"removed on disk here", onDisk(5, one), living(1, one), Tombstoned, ""},
		{"restored there after deletion", deleted(5, one), living(6, one), Conflict, DeletedHere},
		{"changed there, deleted here", deleted(5, one), living(2, one, two), Conflict, DeletedHere},
		{"changed there, purged here", purged(5, one), living(2, one, two), Conflict, DeletedHere},
		{"kept there after deletion", deleted(5, one), kept(6, living(6, one, two)), New, ""},
		{"kept there, removed on disk here", onDisk(5, one), kept(6, living(6, one, two)), New, ""},
		{"kept there, deleted here later", deleted(7, one, two), kept(6, living(6, one, two)), Tombstoned, ""},
		{"changed there, removed on disk here", onDisk(5, one), living(2, one, two), Conflict, DeletedHere},
		{"another memory purged here", purged(5, three), living(1, one), New, ""},
		{"learned again there, knowing", deleted(5, one), with(living(6, one, two), func(k *Known) { k.Tombstones = map[Fingerprint]time.Time{one: at(5)} }), New, ""},
		{"deleted there later", living(1, one), deleted(5, one), Deleted, ""},
		{"purged there", living(1, one), purged(5, one), Deleted, ""},
		{"removed on disk there", living(1, one), onDisk(5, one), Deleted, ""},
		{"changed here, deleted there", living(2, one, two), deleted(5, one), Conflict, DeletedThere},
		{"changed here, purged there", living(2, one, two), purged(5, one), Conflict, DeletedThere},
		{"restored here after deletion", kept(6, living(6, one)), deleted(5, one), Newer, ""},
		{"restored here before deletion", kept(4, living(6, one, two)), deleted(5, one), Conflict, DeletedThere},
		{"kept here, then changed", kept(6, living(7, one, two, three)), deleted(5, one), Newer, ""},
		{"returned on disk here", living(6, one), deleted(5, one), Conflict, DeletedThere},
		{"changed here, removed on disk there", living(2, one, two), onDisk(5, one), Conflict, DeletedThere},
		{"learned again here, knowing", with(living(6, one, two), func(k *Known) { k.Tombstones = map[Fingerprint]time.Time{one: at(5)} }), deleted(5, one), Newer, ""},
		{"another memory purged there", living(1, one), purged(5, three), Newer, ""},
		{"both deleted", deleted(1, one), deleted(5, one), Same, ""},
		{"pending here", with(living(1, one), func(k *Known) { k.Pending = true }), living(2, one, two), Pending, ""},
		{"pending there", living(1, one), with(living(2, one, two), func(k *Known) { k.Pending = true }), Pending, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, conflict := Decide(tt.mine, tt.theirs); got != tt.want || conflict != tt.conflict {
				t.Errorf("Decide() = %q, %q, want %q, %q", got, conflict, tt.want, tt.conflict)
			}
		})
	}
}

func TestBytes_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, raw := range []Bytes{nil, {}, Bytes("text"), Bytes("{"), Bytes("caf\xe9"), Bytes("a\x00b\u2028")} {
		text, err := raw.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var back Bytes
		if err := back.UnmarshalJSON(text); err != nil || string(back) != string(raw) || (back == nil) != (raw == nil) {
			t.Errorf("%q becomes %s, then %q, %v", raw, text, back, err)
		}
	}
}
