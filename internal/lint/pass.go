package lint

import (
	"fmt"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Pass is one rule at one object, or over all of them.
type Pass struct {
	Rule     *Rule
	Object   *Object            // nil across objects and for files
	File     *source.File       // of the object, or the Dockerfile
	Measured *practice.Measured // of a run; nil: none was given
	effort   *effort
	findings []*Finding
}

// Fail reports that the practice is broken at a place of the pass's object. The
// message says what stands there and what would be right, with values.
func (p *Pass) Fail(at source.Value, format string, args ...any) *Finding {
	if offset, part := at.Offset(); part {
		return p.FailIn(at, offset, format, args...)
	}
	return p.add(Fail, p.placeOf(at), fmt.Sprintf(format, args...))
}

// Unknown reports that the rule cannot judge, and what it would need.
func (p *Pass) Unknown(at source.Value, format string, args ...any) *Finding {
	return p.add(Unknown, p.placeOf(at), fmt.Sprintf(format, args...))
}

// FailAt and UnknownAt report at a place kept in the index.
func (p *Pass) FailAt(at Spot, format string, args ...any) *Finding {
	return p.addAt(Fail, at, fmt.Sprintf(format, args...))
}

// UnknownAt is Unknown at a place kept in the index.
func (p *Pass) UnknownAt(at Spot, format string, args ...any) *Finding {
	return p.addAt(Unknown, at, fmt.Sprintf(format, args...))
}

func (p *Pass) placeOf(at source.Value) source.Place {
	place := source.Place{File: p.File.Name, Line: at.Line(), Column: at.Column()}
	if !at.Exists() && p.Object != nil {
		place.Line, place.Column = p.Object.Root.Line(), p.Object.Root.Column()
	}
	return place
}

func (p *Pass) add(status Status, at source.Place, message string) *Finding {
	f := p.finding(status, message)
	f.File, f.Line, f.Column = at.File, at.Line, at.Column
	if p.Object != nil {
		f.Object = p.Object.Ref
	}
	place(&f, p.File)
	f.Text, f.Message = hide(p.Object, f.Text), practice.Veil(message)
	if p.Object != nil {
		f.Message = hide(p.Object, message)
	}
	return p.keep(f)
}

func (p *Pass) addAt(status Status, at Spot, message string) *Finding {
	f := p.finding(status, message)
	f.File, f.Line, f.Column, f.Object = at.File, at.Line, at.Column, at.Object
	place(&f, at.file)
	f.Text, f.Message = practice.VeilLine(f.Text), practice.Veil(message)
	return p.keep(f)
}

func (p *Pass) finding(status Status, message string) Finding {
	return Finding{ID: p.Rule.ID, Severity: p.Rule.Severity, Status: status, Message: message, Why: p.Rule.Why, Fix: p.Rule.Fix, Source: p.Rule.Source(), general: p.Rule.Subject == Schema}
}

func (p *Pass) keep(f Finding) *Finding {
	p.findings = append(p.findings, &f)
	return &f
}

// Spot is a place that outlives its document.
type Spot struct {
	source.Place
	Object Ref
	file   *source.File
}
