package bench

type reported struct{ Tab *opened }

var report reported

func (r *reported) addMirror(layout, mirrored) {}
func (r *reported) addSave(layout, saved)      {}
func (r *reported) write() error               { return nil }
