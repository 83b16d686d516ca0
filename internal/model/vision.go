package model

// vision is the parameters of towers and projectors for images.
func (b *build) vision(top fields) int64 { return 0 }
