package reviewcards

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/wording"
)

// MaxRows is the maximum number of rows of a list (arbitrary).
const MaxRows = 100

// List is a list of the review: its scope and its filters.
type List struct {
	Agent   *records.Agent // nil: all agents
	Items   records.ReviewList
	Kind    string // as in the address
	Group   string
	Snoozed bool
	Page    int // from 1
}

// ListOf reads the filters of a list from the query of an address or of a form. It returns
// memories.ErrNotFound for an unknown kind, group, view or page.
func ListOf(agent *records.Agent, query url.Values) (List, error) {
	text := strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(query.Get(address.FieldQuery)), "\uFFFD"), "\x00", "")
	t := List{Agent: agent, Kind: query.Get(address.FieldKind), Group: query.Get(address.FieldGroup), Page: 1}
	t.Items = records.ReviewList{Query: text, Limit: MaxRows}
	if agent != nil {
		t.Items.AgentID = agent.ID
	}
	for _, kind := range review.Kinds() {
		if string(review.GroupOf(kind)) == t.Group {
			t.Items.Kinds = append(t.Items.Kinds, kind)
		}
	}
	if t.Group != "" && t.Items.Kinds == nil {
		return t, memories.ErrNotFound
	}
	if t.Kind != "" {
		t.Items.Kinds, t.Group = nil, ""
		for name := range strings.SplitSeq(t.Kind, ",") {
			if !review.IsKind(findings.Kind(name)) {
				return t, memories.ErrNotFound
			}
			t.Items.Kinds = append(t.Items.Kinds, findings.Kind(name))
		}
	}
	switch view := query.Get(address.FieldView); view {
	case "", address.ViewSnoozed:
		t.Snoozed = view != ""
	default:
		return t, memories.ErrNotFound
	}
	if page := query.Get(address.FieldPage); page != "" {
		n, err := strconv.Atoi(page)
		if err != nil || n < 1 || n > 10_000 {
			return t, memories.ErrNotFound
		}
		t.Page = n
	}
	return t, nil
}

// At returns the address of the list, or with an id that of an item in it.
func (t List) At(id string) string {
	path := address.ReviewPath
	if t.Agent != nil {
		path = address.AgentReviewPath(t.Agent.Slug)
	}
	if id != "" {
		path += "/" + id
	}
	return address.WithQuery(path, map[string]string{address.FieldKind: t.Kind, address.FieldGroup: t.Group, address.FieldQuery: t.Items.Query})
}

// With returns the same list with other kinds.
func (t List) With(kind, group string) List {
	t.Kind, t.Group, t.Snoozed = kind, group, false
	return t
}

// Fields returns the filters as fields of a form.
func (t List) Fields() (all []templates.ReviewField) {
	slug := ""
	if t.Agent != nil {
		slug = t.Agent.Slug
	}
	for _, f := range []templates.ReviewField{{Name: address.FieldKind, Value: t.Kind}, {Name: address.FieldGroup, Value: t.Group}, {Name: address.FieldQuery, Value: t.Items.Query}, {Name: address.FieldAgent, Value: slug}} {
		if f.Value != "" {
			all = append(all, f)
		}
	}
	return all
}

// WasItem matches the ids of items: a kind and a hash.
var WasItem = regexp.MustCompile(`^[a-z]+-[0-9a-f]{20}$`)

// DecidedWords returns a decision in words. last are the decisions around it, for a batch.
func DecidedWords(d records.ReviewDecision, last []records.ReviewDecision) string {
	o := review.OutcomeOf(d)
	if o.Batch != "" {
		n := 0
		for _, other := range last {
			if review.OutcomeOf(other).Batch == o.Batch {
				n++
			}
		}
		if n > 1 {
			return templates.Decided(d.Decision, wording.Count(n, "item", "items"))
		}
	}
	names := o.Names
	if i, err := strconv.Atoi(strings.TrimPrefix(d.Decision, "keep_")); err == nil && i <= len(names) && len(names) > 0 {
		names = names[i-1 : i]
	}
	return templates.Decided(d.Decision, templates.ReviewTitle(names, cmp.Or(o.Reason, templates.ReviewWord(d.Kind))))
}

// AddRows adds the rows of a page by group, with each group that has items.
func AddRows(v *templates.Review, t List, page records.ReviewPage, all map[int64]records.Agent, open string) {
	for _, group := range groups() {
		section := templates.ReviewSection{ID: string(group), Label: templates.ReviewHeading(string(group)), Count: countOf(group, t.Items.Kinds, page.Counts), Href: t.With("", string(group)).At("")}
		for _, item := range page.Items {
			if review.GroupOf(item.Kind) == group {
				section.Rows = append(section.Rows, RowIn(t, item, all, open))
			}
		}
		if section.Count > 0 {
			v.Sections = append(v.Sections, section)
		}
	}
}

// RowIn returns the row of an item in a list. all are all agents, by id.
func RowIn(t List, item records.ReviewItem, all map[int64]records.Agent, open string) templates.ReviewRow {
	row := Row(item)
	row.Href, row.Current = t.At(item.ID), item.ID == open
	if t.Agent == nil {
		row.Agent = cmp.Or(all[item.AgentID].DisplayName, item.Agent)
	}
	return row
}

func groups() (all []review.Group) {
	for _, kind := range review.Kinds() {
		if group := review.GroupOf(kind); !slices.Contains(all, group) {
			all = append(all, group)
		}
	}
	return all
}

// countOf returns the number of items of a group, of the selected kinds only. No kinds mean all.
func countOf(group review.Group, selected []findings.Kind, counts map[findings.Kind]int) (n int) {
	for kind, count := range counts {
		if review.GroupOf(kind) == group && (len(selected) == 0 || slices.Contains(selected, kind)) {
			n += count
		}
	}
	return n
}

// AddFilters adds the links to all kinds, to each group, and to each kind with an item or that
// is selected.
func AddFilters(v *templates.Review, t List, counts map[findings.Kind]int) {
	whole := templates.ReviewFilter{Label: "All", Href: t.With("", "").At(""), Current: t.Kind == "" && t.Group == ""}
	for _, kind := range review.Kinds() {
		whole.Count += counts[kind]
		isOnly := t.Kind == string(kind)
		if counts[kind] > 0 || isOnly || kind == findings.Plan && v.HasPlans {
			v.Kinds = append(v.Kinds, templates.ReviewFilter{
				Label: templates.ReviewWord(string(kind)), Href: t.With(string(kind), "").At(""), Count: counts[kind], Current: isOnly,
			})
		}
	}
	v.Groups = []templates.ReviewFilter{whole}
	for _, group := range groups() {
		isCurrent := t.Group == string(group) || len(t.Items.Kinds) == 1 && review.GroupOf(t.Items.Kinds[0]) == group
		v.Groups = append(v.Groups, templates.ReviewFilter{
			Label: templates.ReviewWord(string(group)), Href: t.With("", string(group)).At(""), Count: countOf(group, nil, counts), Current: isCurrent,
		})
	}
}
