// Package helm holds what lint reads of charts against a real helm, from PATH: which
// template and line a rendered line leads back to, and charts made to do harm. .ci/run
// builds helm from its module.
package helm
