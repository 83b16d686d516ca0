package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"

	"assay/internal/lint"
)

// LintGitHub writes findings as GitHub's workflow commands, which become annotations on
// the lines of a pull request.
func LintGitHub(w io.Writer, res lint.Result) error {
	b := bufio.NewWriter(w)
	for _, f := range res.Findings {
		command := "notice"
		if f.Status == lint.Fail {
			command = map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "notice"}[f.Severity]
		}
		place := "file=" + githubProperty(f.File)
		if f.Line > 0 {
			place += fmt.Sprintf(",line=%d,col=%d", f.Line, max(1, f.Column))
		}
		text := f.Message
		if f.Status == lint.Unknown {
			text = "not known: " + text
		}
		text += suffixed("\n", f.Why) + suffixed("\nFix: ", f.Fix) + suffixed("\nSource: ", f.Source)
		fmt.Fprintf(b, "::%s %s,title=%s::%s\n", command, place, githubProperty(f.ID+suffixed(" at ", objectName(f.Object))), githubText(text))
	}
	fmt.Fprintln(b, lintSummary(res))
	return b.Flush()
}

// GitHub's runner reads these escapes (actions/toolkit, command.ts).
var (
	githubEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubInPlaces = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubText(s string) string     { return githubEscapes.Replace(steerless(s)) }
func githubProperty(s string) string { return githubInPlaces.Replace(steerless(s)) }

// steerless leaves out what steers a terminal, and keeps lines.
func steerless(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	File    string      `xml:"file,attr,omitempty"`
	Line    int         `xml:"line,attr,omitempty"`
	Failure *junitWords `xml:"failure"`
	Skipped *junitWords `xml:"skipped"`
}

type junitWords struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// LintJUnit writes findings as test cases, a suite for each file: what fails at or above
// a severity is a failure; what is unknown, suppressed or less grave is skipped. A run
// without any is one case that passed.
func LintJUnit(w io.Writer, res lint.Result, least lint.Severity) error {
	all := junitSuites{Name: "assay lint"}
	at := map[string]int{}
	add := func(file string, c junitCase) {
		i, ok := at[file]
		if !ok {
			i = len(all.Suites)
			at[file] = i
			all.Suites = append(all.Suites, junitSuite{Name: steerless(file)})
		}
		s := &all.Suites[i]
		s.Cases = append(s.Cases, c)
		s.Tests++
		all.Tests++
		if c.Failure != nil {
			s.Failures++
			all.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
			all.Skipped++
		}
	}
	for _, f := range res.Findings {
		c := junitCaseOf(f)
		words := &junitWords{Message: steerless(f.Message), Type: string(f.Severity), Text: steerless(junitText(f))}
		if f.Status == lint.Fail && f.Severity.AtLeast(least) {
			c.Failure = words
		} else {
			words.Type = ""
			c.Skipped = words
		}
		add(f.File, c)
	}
	for _, s := range res.Suppressed {
		c := junitCaseOf(s.Finding)
		c.Skipped = &junitWords{Message: steerless("suppressed by " + s.By + ": " + s.Reason + suffixed(", until ", s.Until))}
		add(s.File, c)
	}
	if all.Tests == 0 {
		add("all files", junitCase{Class: "assay lint", Name: steerless(lintSummary(res))})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitCaseOf(f lint.Finding) junitCase {
	name := lintPlace(f) + suffixed(" ", objectName(f.Object))
	return junitCase{Class: f.ID, Name: name, File: steerless(f.File), Line: f.Line}
}

func junitText(f lint.Finding) string {
	return lintPlace(f) + suffixed("\n", f.Text) + suffixed("\nwhy: ", f.Why) + suffixed("\nfix: ", f.Fix) + suffixed("\nsource: ", f.Source) + "\n"
}
