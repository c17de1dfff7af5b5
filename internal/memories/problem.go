package memories

// Problem is something about a memory that a person should know, in plain words.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}
