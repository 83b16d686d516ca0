// Command nullserver serves package nullserver on an address until it is
// interrupted: the server of known truth that the clients here are run against.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"assay/internal/nullserver"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8099", "address; port 0 takes a free one and prints it")
	ttft := flag.Duration("ttft", 50*time.Millisecond, "time to the first token")
	itl := flag.Duration("itl", 10*time.Millisecond, "time from one token to the next")
	tokens := flag.Int("tokens", 64, "tokens of an answer whose request gives no length")
	model := flag.String("model", "null", "name under which the server answers")
	text := flag.String("text", " null", "text of each token")
	failEvery := flag.Int("fail-every", 0, "end every n-th answer half-way with an error in its stream; 0: none")
	flag.Parse()
	s, err := nullserver.Start(nullserver.Options{Listen: *address, TTFT: *ttft, ITL: *itl, Tokens: *tokens, Model: *model, Text: *text, FailEvery: *failEvery})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.URL())
	interrupt, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-interrupt.Done()
	_ = s.Close() // the process ends with it
}
