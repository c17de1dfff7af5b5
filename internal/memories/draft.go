package memories

// Draft is a memory as somebody wants it to be.
type Draft struct {
	Name        string
	Team        bool // it is to be in team memory
	Type        Type
	Description string
	Body        string
	// Metadata is put into the file's metadata, beside what is there.
	Metadata map[string]string `json:",omitempty"`
}

func (d Draft) Key() Key { return Key{Name: d.Name, Team: d.Team} }

// content is what the memory's file is to say.
func (d Draft) Content() Content {
	return Content{Name: d.Name, Type: d.Type, Description: d.Description, Body: d.Body}
}

// Patch is a part of a memory that somebody wants to be otherwise; nil keeps what is there.
type Patch struct {
	Name        *string
	Type        *Type
	Description *string
	Body        *string
	// Metadata is put into the file's metadata, beside what is there.
	Metadata map[string]string `json:",omitempty"`
}

// check says which field cannot be taken, and puts the name in order.
func (d *Draft) Check() error {
	content := d.Content()
	if err := content.Check(); err != nil {
		return err
	}
	d.Name = content.Canonical().Name
	return nil
}
