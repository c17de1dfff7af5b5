package exchange

import (
	"memoir/internal/findings"
)

// Readdressed returns the agent's decisions for an agent with another slug, whose items have other
// ids. Decisions about several memories, and about other things than memories, are left out then.
func Readdressed(a Agent, slug string) []Decision {
	if slug == a.Slug {
		return a.Decisions
	}
	kinds := map[findings.Kind]bool{}
	for _, d := range a.Decisions {
		kinds[findings.Kind(d.Kind)] = true
	}
	items := map[string]string{}
	for _, m := range a.Memories {
		for _, r := range m.Revisions {
			for kind := range kinds {
				content := findings.Content{Name: m.Name, Fingerprint: r.Content}
				items[findings.ItemID(kind, a.Slug, content)] = findings.ItemID(kind, slug, content)
			}
		}
	}
	var all []Decision
	for _, d := range a.Decisions {
		if item, ok := items[d.Item]; ok {
			d.Item = item
			all = append(all, d)
		}
	}
	return all
}
