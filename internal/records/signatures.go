package records

// FileSignature is the signature of the file at Path.
type FileSignature struct {
	Path      string
	Signature int64
}
