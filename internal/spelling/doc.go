// Package spelling knows how far apart two names are, for those who offer what a
// user may have meant.
//
//	spelling.Distance("g5.xlarg", "g5.xlarge") // 1
package spelling
