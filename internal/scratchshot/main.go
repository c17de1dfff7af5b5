package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// args: path,name,w,h,scheme[,script] ...
func main() {
	dir, _ := os.MkdirTemp("", "shot")
	defer os.RemoveAll(dir)
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(dir), chromedp.DisableGPU, chromedp.NoSandbox)
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	defer stop()
	b, end := chromedp.NewContext(alloc)
	defer end()
	ctx, cancel := context.WithTimeout(b, 100*time.Second)
	defer cancel()
	chromedp.Do(b, chromedp.Navigate("about:blank"))
	for _, a := range os.Args[1:] {
		p := strings.SplitN(a, ",", 6)
		w, _ := strconv.ParseInt(p[2], 10, 64)
		h, _ := strconv.ParseInt(p[3], 10, 64)
		must(chromedp.Do(ctx, chromedp.EmulateViewport(w, h)))
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: p[4]}}})
		must(err)
		must(chromedp.Do(ctx, chromedp.Navigate("http://127.0.0.1:8474"+p[0])))
		time.Sleep(700 * time.Millisecond)
		if len(p) > 5 {
			out, err := chromedp.Run(ctx, chromedp.Evaluate[any](p[5]))
			fmt.Println(p[1], out, err)
			time.Sleep(1200 * time.Millisecond)
		}
		pic, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		must(err)
		os.WriteFile("/tmp/tabdemo/"+p[1]+".png", pic, 0o600)
	}
}
func must(err error) {
	if err != nil {
		panic(err)
	}
}
