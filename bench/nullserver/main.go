// Command nullserver serves package nullserver on an address until it is
// interrupted: the server of known truth that the clients here are run against.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
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
	flag.Parse()
	if err := serve(*address, nullserver.Config{TTFT: *ttft, ITL: *itl, Tokens: *tokens}); err != nil {
		fmt.Fprintln(os.Stderr, "nullserver:", err)
		os.Exit(1)
	}
}

func serve(address string, c nullserver.Config) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := nullserver.New(c)
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	fmt.Printf("http://%s\n", ln.Addr())
	return s.Serve(ln)
}
