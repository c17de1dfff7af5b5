package address

import (
	"net/url"
	"slices"

	"memoir/internal/memories"
	"memoir/web/templates/wording"
)

// View is the list of the Memory tab, as in its address. A memory's page has it too, for the list
// next to the memory. A zero field selects all.
type View struct {
	Agent   string // the slug
	Name    string // the view: new, unchecked, never-recalled, team or trash
	Type    memories.Type
	State   memories.State
	Session string
	Query   string // words, and type:, is: and agent: with a value
	Sort    string // newest, oldest, name or cost; empty means by type
	// After and Before are the ids of memories: the page begins after one, or ends before one.
	After, Before string
}

// The names of views in addresses.
const (
	NewView           = "new"
	UncheckedView     = "unchecked"
	NeverRecalledView = "never-recalled"
	TeamView          = "team"
	TrashView         = "trash"
)

// viewLabels are the labels of views, by name.
var viewLabels = map[string]string{
	"": "All", NewView: "New", UncheckedView: "Unchecked", NeverRecalledView: "Never recalled", TeamView: "Team", TrashView: "Trash",
}

// The names of orders in addresses.
const (
	NewestOrder = "newest"
	OldestOrder = "oldest"
	NameOrder   = "name"
	CostOrder   = "cost"
)

// ViewLabel returns the label of the view with that name.
func ViewLabel(name string) string { return viewLabels[name] }

// SortChoice is an order and its label in the menu.
type SortChoice struct{ Value, Label string }

// SortChoices returns the orders as the menu lists them. The first is the default.
func SortChoices() []SortChoice {
	return []SortChoice{{"", "By type"}, {NewestOrder, "Newest"}, {OldestOrder, "Oldest"}, {NameOrder, "Name"}, {CostOrder, "Cost"}}
}

// SortLabel returns the label of the list's order.
func (v View) SortLabel() string {
	choices := SortChoices()
	for _, c := range choices {
		if c.Value == v.Sort {
			return c.Label
		}
	}
	return choices[0].Label
}

// List returns the address of the list, from its beginning or from the page of the view.
func (v View) List() string { return v.At(MemoriesPath(v.Agent)) }

// Memory returns the address of the page of one memory, which keeps this list next to it.
func (v View) Memory(id string) string {
	v.After, v.Before = "", "" // the page of the list that has the memory
	return v.At(MemoryPath(v.Agent, id))
}

// Trash reports whether the list has deleted memories.
func (v View) Trash() bool { return v.Name == TrashView }

// Attention reports whether the list has only the memories that need attention.
func (v View) Attention() bool { return v.State == memories.NeedsAttention }

// Narrowed reports whether the list has a filter besides its view. The order does not count.
func (v View) Narrowed() bool {
	return v.Query != "" || v.Type != "" || v.State != "" || v.Session != ""
}

// IsOneGroup reports whether the list has one group only, which is split into pages.
func (v View) IsOneGroup() bool { return v.Type != "" || v.Attention() || v.Sort != "" }

// Named returns the view called name, such as "new", sorted as v is.
func (v View) Named(name string) View { return View{Agent: v.Agent, Name: name, Sort: v.Sort} }

// Sorted returns the same list in another order, from its beginning.
func (v View) Sorted(by string) View {
	v = v.first()
	v.Sort = by
	return v
}

// Of returns the same list with one type only, from its beginning. An empty type means all.
func (v View) Of(t memories.Type) View {
	v = v.first()
	v.Type, v.State = t, ""
	return v
}

// OfGroup returns the same list with one group only, from its beginning.
func (v View) OfGroup(t memories.Type) View {
	v = v.Of(t)
	if t == "" {
		v.State = memories.NeedsAttention
	}
	return v
}

// OfSession returns the same list with the memories of one session only, from its beginning.
func (v View) OfSession(session string) View {
	v = v.first()
	v.Session = session
	return v
}

// Searched returns the same list with the hits of a query only, from its beginning.
func (v View) Searched(query string) View {
	v = v.first()
	v.Query = query
	return v
}

func (v View) first() View {
	v.After, v.Before = "", ""
	return v
}

// PageAfter returns the page of the list that begins after a memory.
func (v View) PageAfter(id string) View {
	v.After, v.Before = id, ""
	return v
}

// PageBefore returns the page of the list that ends before a memory.
func (v View) PageBefore(id string) View {
	v.After, v.Before = "", id
	return v
}

// ViewField is a parameter of the address of a list.
type ViewField struct{ Name, Value string }

// Fields returns the set fields of the address, without the page.
func (v View) Fields() []ViewField {
	all := []ViewField{
		{FieldView, v.Name}, {FieldType, string(v.Type)}, {FieldState, string(v.State)}, {FieldSession, v.Session},
		{FieldQuery, v.Query}, {FieldSort, v.Sort},
	}
	return slices.DeleteFunc(all, func(f ViewField) bool { return f.Value == "" })
}

// At returns the address of the page at path, which keeps this list.
func (v View) At(path string) string {
	values := url.Values{}
	for _, f := range v.Fields() {
		values.Set(f.Name, f.Value)
	}
	if v.After != "" {
		values.Set(FieldAfter, v.After)
	}
	if v.Before != "" {
		values.Set(FieldBefore, v.Before)
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// Label returns the name of the list for the selection bar: "Unchecked", "Project", "All".
func (v View) Label() string {
	switch {
	case v.Attention():
		return "Needs attention"
	case v.Type != "" && v.Name == "":
		return wording.TypeName(v.Type)
	case v.Type != "":
		return ViewLabel(v.Name) + ", " + wording.TypeName(v.Type)
	}
	return ViewLabel(v.Name)
}
