package embedding

// HeldBytes returns the size of the vectors in memory.
func (s *Service) HeldBytes() int64 {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	return s.index.bytes
}
