package records

// SignatureSum is a checksum of the signatures of a set of files. Equal sets have equal sums.
type SignatureSum struct {
	Files      int
	Signatures int64 // their exclusive or
}

// Add adds a file with the signature to the sum: it increments Files, and combines Signatures with
// the signature by exclusive or. The order of files does not matter.
func (s *SignatureSum) Add(signature int64) {
	s.Files++
	s.Signatures ^= signature
}

// SignatureSums are the checksums of the rows of an agent's files.
type SignatureSums struct {
	Parts    [256]SignatureSum // of the files that are there and have a signature
	Unsigned int               // on disk, without a signature
	Absent   int               // known, not on disk
}

// Present returns the number of files that are on disk, with or without a signature.
func (s *SignatureSums) Present() int {
	n := s.Unsigned
	for _, part := range s.Parts {
		n += part.Files
	}
	return n
}

// FileSignature is the signature of the file at Path.
type FileSignature struct {
	Path      string
	Signature int64
}
