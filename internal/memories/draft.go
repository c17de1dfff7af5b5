package memories

// Draft is a memory that a caller wants to save.
type Draft struct {
	Name        string
	Team        bool // save it in team memory
	Type        Type
	Description string
	Body        string
	// Metadata sets entries of the file's metadata. Other entries stay.
	Metadata map[string]string `json:",omitempty"`
	// AskedAs are the phrases as which it is asked; nil keeps them. They are not in the file.
	AskedAs []string `json:"-"`
}

// Key returns the key of the memory.
func (d Draft) Key() Key { return Key{Name: d.Name, Team: d.Team} }

// Content returns the name, type, description and body of the draft, without changes. Team and
// Metadata are no part of a Content; the caller must apply them.
func (d Draft) Content() Content {
	return Content{Name: d.Name, Type: d.Type, Description: d.Description, Body: d.Body}
}

// Check returns an *InvalidError for the first field that cannot be saved, as Content.Check does;
// it does not check Metadata. Without an error it replaces Name by its canonical form.
func (d *Draft) Check() error {
	content := d.Content()
	if err := content.Check(); err != nil {
		return err
	}
	d.Name = content.Canonical().Name
	return nil
}

// Patch is a set of changes to a memory. A nil field does not change.
type Patch struct {
	Name        *string
	Type        *Type
	Description *string
	Body        *string
	// Metadata sets entries of the file's metadata. Other entries stay.
	Metadata map[string]string `json:",omitempty"`
	// AskedAs replaces the phrases as which it is asked. They are not in the file.
	AskedAs *[]string `json:"-"`
}

// OnlyAsks reports whether the patch changes nothing but the phrases, so that no file is written.
func (p Patch) OnlyAsks() bool {
	return p.AskedAs != nil && p.Name == nil && p.Type == nil && p.Description == nil && p.Body == nil && len(p.Metadata) == 0
}
