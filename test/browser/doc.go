// Package browser opens a run's report in a real Chromium: phone and desktop,
// light and dark, scripts on and off. It is a module of its own, so that a
// browser's protocol is no dependency of the program.
package browser
