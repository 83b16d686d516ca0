package view

import (
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// Screen shows on a terminal what Lines prints and, below it, a panel of the
// level under way that is drawn anew as it goes on. It reads nothing from the
// terminal, so Ctrl-C stays a signal and what is typed is the shell's.
type Screen struct {
	tracked
	style   style
	program *tea.Program
	ended   chan struct{}
}

var _ bench.View = (*Screen)(nil)

// NewScreen draws on w, a terminal of that many columns and rows. Close it.
func NewScreen(w io.Writer, width, height int, color bool) *Screen {
	s := &Screen{style: styles(color), ended: make(chan struct{})}
	profile := colorprofile.ASCII
	if color {
		profile = colorprofile.ANSI
	}
	s.program = tea.NewProgram(drawing{screen: s, width: width}, tea.WithOutput(w), tea.WithInput(nil),
		tea.WithoutSignalHandler(), tea.WithFPS(10), tea.WithWindowSize(width, height), tea.WithColorProfile(profile))
	go func() {
		defer close(s.ended)
		_, _ = s.program.Run() // a terminal that went away must not end the run
	}()
	return s
}

// Close takes the panel away and waits until the terminal is as it was.
func (s *Screen) Close() {
	s.program.Send(refresh{})
	s.program.Quit()
	<-s.ended
}

// Note prints the remark above the panel.
func (s *Screen) Note(text string) { s.print(text) }

// LevelStart prints the level's name and begins its panel.
func (s *Screen) LevelStart(p bench.PlannedLevel, n, of int) {
	s.change(func(st *state) { st.levelStart(p, n, of) })
	s.print(startLine(p, n, of))
}

// Sample shows how the client does.
func (s *Screen) Sample(c record.ClientSample) { s.change(func(st *state) { st.sample = c }) }

// Tick draws the panel anew.
func (s *Screen) Tick(p load.Progress) {
	s.change(func(st *state) { st.tickTo(p) })
	s.program.Send(refresh{})
}

// LevelDone prints what the level came to and adds it to the curves.
func (s *Screen) LevelDone(l record.Level) {
	s.change(func(st *state) { st.levelDone(l) })
	s.print(doneLine(l))
}

func (s *Screen) print(line string) { s.program.Println(line) }

func (s *Screen) panel(width int) string {
	now := s.now()
	return now.panel(width, s.style)
}

// refresh asks for a new drawing.
type refresh struct{}

// drawing is the panel as bubbletea's model.
type drawing struct {
	screen *Screen
	width  int
}

func (d drawing) Init() tea.Cmd { return nil }

func (d drawing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok && size.Width > 0 {
		d.width = size.Width
	}
	return d, nil
}

func (d drawing) View() tea.View { return tea.NewView(d.screen.panel(d.width - 1)) }
