package memories

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Filter selects and orders memories of an agent. The zero value selects all memories outside the
// trash, newest first. It is the only definition of these filters: the tags define each field's
// name in a query and in JSON, its values and its description.
type Filter struct {
	Type         Type   `query:"type" json:"type,omitempty" enum:"feedback,user,project,reference"`
	State        State  `query:"state" json:"state,omitempty" enum:"active,needs_attention,missing,deleted" doc:"Default: all but deleted ones; with not_removed, deleted ones."`
	Stale        bool   `query:"stale" json:"stale,omitempty" doc:"true: only stale ones, two days old or more."`
	Unchecked    bool   `query:"unchecked" json:"unchecked,omitempty" doc:"true: only those without a change or confirmation for long: 30 days (project), 90 (reference), 180 (user, feedback)."`
	Flagged      bool   `query:"flagged" json:"flagged,omitempty" doc:"true: only active ones whose files have problems."`
	NotRemoved   bool   `query:"not_removed" json:"not_removed,omitempty" doc:"true: only deleted ones with a file, or an entry in MEMORY.md, that could not be removed; problems has the reason."`
	Session      string `query:"session" json:"session,omitempty" doc:"Name of a session that has a file of the memory, or that wrote its content."`
	Name         string `query:"name" json:"name,omitempty" doc:"The exact name."`
	Scope        Scope  `query:"scope" json:"scope,omitempty" enum:"private,team" doc:"Default: both."`
	Query        string `query:"q" json:"query,omitempty" maxLength:"1000" doc:"Search: all words, any letter case, each as a prefix."`
	Near         bool   `query:"near" json:"near,omitempty" doc:"true: if no memory has all words of q, return similar ones. Check these before you change them."`
	Sort         Sort   `query:"sort" json:"sort,omitempty" enum:"name,updated,age,modified" doc:"Default: updated, newest first; a search is ranked. name: by UTF-8 bytes. age: oldest first. modified: the newest content first."`
	UpdatedSince Moment `query:"updated_since" json:"updated_since,omitempty" doc:"RFC 3339, such as 2026-11-03T14:00:00Z: only those updated at that time or later."`
	AsOf         Moment `query:"as_of" json:"as_of,omitempty" doc:"RFC 3339, such as 2026-11-03T14:00:00Z: the state at that time; a future time counts as now. Purged memories and files are not included. Past lists are sorted by name, and do not take q, flagged and not_removed."`
}

// PageRequest selects a page of a list. A Limit of 0 means the default; an empty Cursor means the
// first page.
type PageRequest struct {
	Limit  int    `query:"limit" json:"limit,omitempty" minimum:"1" maximum:"500" default:"50"`
	Cursor string `query:"cursor" json:"cursor,omitempty" doc:"The next_cursor of the previous page of the same list."`
}

// Sort is the order of a list. If it is empty, a search is ordered by rank, best first, and any
// other list by update.
type Sort string

// The orders of a list. Memories with equal keys are ordered by id.
const (
	ByUpdate       Sort = "updated"  // newest first
	ByName         Sort = "name"     // by UTF-8 bytes
	ByAge          Sort = "age"      // oldest first
	ByModification Sort = "modified" // the opposite of ByAge
)

// Moment is a point in time in RFC 3339, as in a query. The empty value means no time.
type Moment string

// MomentOf returns t in UTC as a Moment.
func MomentOf(t time.Time) Moment { return Moment(t.UTC().Format(time.RFC3339Nano)) }

// Parse returns the time of m, with a space read as a plus sign. It returns the error of time.Parse
// if m is empty or not RFC 3339.
func (m Moment) Parse() (time.Time, error) {
	// The plus sign of an offset arrives as a space if the client did not escape it.
	return time.Parse(time.RFC3339, strings.Replace(string(m), " ", "+", 1))
}

// Time returns the time, or the zero time if m is empty or not RFC 3339.
func (m Moment) Time() time.Time {
	at, _ := m.Parse()
	return at
}

// FilterField is a field of Filter, as its tags define it.
type FilterField struct {
	Name      string   // the name in a query
	JSON      string   // the name in JSON
	Enum      []string // nil if any value is allowed
	Doc       string
	MaxLength int // in characters; 0 if not limited
	IsBool    bool
	IsMoment  bool
	index     int
}

// FilterFields returns the fields of Filter in their order. The caller must not change them.
func FilterFields() []FilterField { return filterFields }

var filterFields = func() (fields []FilterField) {
	for f := range reflect.TypeFor[Filter]().Fields() {
		field := FilterField{
			Name: f.Tag.Get("query"), Doc: f.Tag.Get("doc"), IsBool: f.Type.Kind() == reflect.Bool,
			IsMoment: f.Type == reflect.TypeFor[Moment](), index: f.Index[0],
		}
		field.JSON, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		if values := f.Tag.Get("enum"); values != "" {
			field.Enum = strings.Split(values, ",")
		}
		field.MaxLength, _ = strconv.Atoi(f.Tag.Get("maxLength"))
		fields = append(fields, field)
	}
	return fields
}()

// ParseFilter returns the filter of a query. Letter case does not matter for values of an enum.
// Every error is an *InvalidError. It means an unknown, empty or repeated parameter, an invalid
// value, or two fields that exclude each other.
func ParseFilter(query url.Values) (Filter, error) {
	var f Filter
	for _, name := range slices.Sorted(maps.Keys(query)) {
		i := slices.IndexFunc(filterFields, func(field FilterField) bool { return field.Name == name })
		if i < 0 {
			return Filter{}, &InvalidError{name, "is unknown"}
		}
		if err := filterFields[i].set(&f, query[name]); err != nil {
			return Filter{}, err
		}
	}
	return f, f.Check()
}

// set sets the field of f to the value of a query parameter, in lower case for an enum. It does not
// check that an enum has the value. The error is *InvalidError if the value is missing, empty,
// repeated, or not true or false for a Boolean field.
func (field FilterField) set(f *Filter, values []string) error {
	if len(values) != 1 {
		return &InvalidError{field.Name, fmt.Sprintf("is given %d times: give it once", len(values))}
	}
	value, to := values[0], reflect.ValueOf(f).Elem().Field(field.index)
	switch {
	case value == "":
		return &InvalidError{field.Name, "is empty: give it a value, or leave it out"}
	case !field.IsBool && field.Enum != nil:
		to.SetString(strings.ToLower(strings.TrimSpace(value)))
	case !field.IsBool:
		to.SetString(value)
	case value == "true" || value == "false":
		to.SetBool(value == "true")
	default:
		return &InvalidError{field.Name, "must be true or false"}
	}
	return nil
}

// text returns the field's value in f as a URL parameter has it. It is empty if the field is not
// set; a bool is "true" or empty.
func (field FilterField) text(f Filter) string {
	value := reflect.ValueOf(f).Field(field.index)
	switch {
	case !field.IsBool:
		return value.String()
	case value.Bool():
		return "true"
	default:
		return ""
	}
}

// Values returns f as a query. It is empty for the zero value.
func (f Filter) Values() url.Values {
	values := url.Values{}
	for _, field := range filterFields {
		if text := field.text(f); text != "" {
			values.Set(field.Name, text)
		}
	}
	return values
}

// Narrows reports whether f has any field set other than Query, Near and Sort.
func (f Filter) Narrows() bool {
	f.Query, f.Near, f.Sort = "", false, ""
	return f != Filter{}
}

// Check returns an *InvalidError if a field has an invalid value, or if two fields exclude each
// other, else nil. The error is ErrSearch if Query is too long.
func (f Filter) Check() error {
	for _, field := range filterFields {
		if err := field.check(field.text(f)); err != nil {
			return err
		}
	}
	switch {
	case f.AsOf == "":
		return nil
	case f.Query != "":
		return &InvalidError{"q", "cannot be combined with as_of"}
	case f.Flagged || f.NotRemoved:
		return &InvalidError{"as_of", "cannot be combined with flagged or not_removed"}
	case f.Sort != "" && f.Sort != ByName:
		return &InvalidError{"sort", "must be name with as_of"}
	}
	return nil
}

// check returns *InvalidError if the value is invalid for the field, ErrSearch if it is too long,
// and nil for an empty one.
func (field FilterField) check(value string) error {
	switch {
	case value == "" || field.IsBool:
		return nil
	case !CanBeText(value):
		return &InvalidError{field.Name, "is not valid UTF-8, or contains a NUL character"}
	case field.Enum != nil && !slices.Contains(field.Enum, value):
		last := len(field.Enum) - 1
		return &InvalidError{field.Name, "must be " + strings.Join(field.Enum[:last], ", ") + " or " + field.Enum[last]}
	case field.MaxLength > 0 && utf8.RuneCountInString(value) > field.MaxLength:
		return ErrSearch
	}
	if _, err := Moment(value).Parse(); field.IsMoment && err != nil {
		return &InvalidError{field.Name, "must be a time such as 2026-11-03T14:00:00Z"}
	}
	return nil
}

// ErrSearch means that the query of a search is too long.
var ErrSearch = &InvalidError{Field: "q", Reason: "is longer than 1,000 characters; use fewer words"}

// CanBeText reports whether Postgres can store s as text: it is valid UTF-8 without NUL. So no row
// has any other text.
func CanBeText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// filterMatches has, by field name, a function that reports whether the field selects m. Fields
// without one need the database.
var filterMatches = map[string]func(f Filter, m Memory, now time.Time) bool{
	"type":      func(f Filter, m Memory, _ time.Time) bool { return m.Type == f.Type },
	"state":     func(f Filter, m Memory, _ time.Time) bool { return m.State == f.State },
	"stale":     func(_ Filter, m Memory, now time.Time) bool { return m.Age(now).Stale },
	"unchecked": func(_ Filter, m Memory, now time.Time) bool { return m.Age(now).IsUnchecked(m.Type) },
	"flagged":   func(_ Filter, m Memory, _ time.Time) bool { return m.State == Active && len(m.Problems) > 0 },
	"session": func(f Filter, m Memory, _ time.Time) bool {
		return m.Session == f.Session || slices.ContainsFunc(m.Files, func(file MemoryFile) bool { return file.Session == f.Session })
	},
	"name":          func(f Filter, m Memory, _ time.Time) bool { return m.Name == NormalizeName(f.Name) },
	"scope":         func(f Filter, m Memory, _ time.Time) bool { return m.Scope() == f.Scope },
	"updated_since": func(f Filter, m Memory, _ time.Time) bool { return !m.UpdatedAt.Before(f.UpdatedSince.Time()) },
}

// Matcher returns a function that reports whether f selects a memory, with ages at now. It selects
// deleted memories only if f.State is Deleted. The error is *InvalidError if f uses a field that
// needs the database: Query, Near, NotRemoved, Sort or AsOf. Matcher does not check the values of
// f.
func (f Filter) Matcher(now time.Time) (func(Memory) bool, error) {
	var all []func(Filter, Memory, time.Time) bool
	for _, field := range filterFields {
		if field.text(f) == "" {
			continue
		}
		matches := filterMatches[field.Name]
		if matches == nil {
			return nil, &InvalidError{field.Name, "needs a server"}
		}
		all = append(all, matches)
	}
	return func(m Memory) bool {
		if f.State == "" && m.State == Deleted {
			return false
		}
		return !slices.ContainsFunc(all, func(matches func(Filter, Memory, time.Time) bool) bool { return !matches(f, m, now) })
	}, nil
}
