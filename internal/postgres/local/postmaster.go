package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postmaster is a running server: the parent of its processes.
type postmaster struct {
	process *os.Process
	pid     int
	log     *serverLog
	exited  chan struct{} // closed after the end
	status  string        // exit status; set before exited is closed
}

// launch ends orphaned processes, starts the server, and returns it when it accepts connections. It
// returns ErrForeign if there is no cluster, ErrAccess if the account cannot run it, and an error
// if ctx ends first. After an error no server runs.
func (c *cluster) launch(ctx context.Context) (*postmaster, error) {
	if major, err := c.major(); err != nil {
		return nil, err
	} else if major == 0 {
		return nil, fmt.Errorf("%w: no cluster in %s", ErrForeign, c.pgdata)
	}
	if err := c.endOrphans(ctx); err != nil {
		return nil, err
	}
	p := &postmaster{log: &serverLog{log: c.log, done: make(chan struct{})}, exited: make(chan struct{})}
	started := make(chan error, 1)
	go c.runPostgres(p, started)
	if err := <-started; err != nil {
		return nil, err
	}
	if err := c.awaitReady(ctx, p); err != nil {
		return nil, err
	}
	c.log.Info("private Postgres started", "dir", c.pgdata, "pid", p.pid, "as", c.account.name)
	return p, nil
}

// runPostgres starts the server, sends the error of the start or nil to started, and waits for the
// end of the server. Then it sets p.status and closes p.exited. If the start fails, it returns at
// once, and p.exited stays open.
func (c *cluster) runPostgres(p *postmaster, started chan<- error) {
	// Pdeathsig refers to the thread that started the program, so the thread must not end earlier.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd, err := c.startPostgres(p)
	started <- err
	if err != nil {
		return
	}
	state, err := cmd.Process.Wait()
	if err != nil {
		p.status = err.Error()
	} else {
		p.status = state.String()
	}
	p.log.awaitEnd(time.Second)
	close(p.exited)
}

func (c *cluster) startPostgres(p *postmaster) (*exec.Cmd, error) {
	cmd, paths, err := c.account.command(context.Background(), c.installation.postgres, c.pgdata, c.run.path)
	if err != nil {
		return nil, err
	}
	defer closeInherited(cmd)
	cmd.Args = append(cmd.Args, "-D", paths[0])
	for _, setting := range c.settings(paths[1]) {
		cmd.Args = append(cmd.Args, "-c", setting)
	}
	cmd.SysProcAttr = c.account.processAttributes(syscall.SIGINT)
	output, err := p.log.open()
	if err != nil {
		return nil, err
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		return nil, c.account.refusedByKernel(err)
	}
	p.process, p.pid = cmd.Process, cmd.Process.Pid
	return cmd, nil
}

// settings returns the server's settings, each as name=value: few connections, little memory, and
// no network or replication. run is the path of the socket's directory as the server reaches it.
func (c *cluster) settings(run string) []string {
	settings := []string{
		"listen_addresses=",
		"port=" + strconv.Itoa(port),
		`unix_socket_directories="` + strings.ReplaceAll(run, `"`, `""`) + `"`,
		"unix_socket_permissions=0700",
		"hba_file=" + run + "/pg_hba.conf",
		"ident_file=" + run + "/pg_ident.conf",
		"max_connections=" + strconv.Itoa(c.maxConnections),
		// Each agent takes a lock. 512 are enough for 20,000 agents at 40 connections, and take 10
		// MB.
		"max_locks_per_transaction=512",
		"shared_buffers=" + sharedBuffers(memory()),
		"min_wal_size=32MB",
		"max_wal_size=256MB",
		"wal_level=minimal",
		"max_wal_senders=0",
		// Memoir's queries use keys, so small statistics are enough. They take a fifth of the time,
		// and Postgres updates them while queries wait.
		"default_statistics_target=20",
		"jit=off",
		"timezone=UTC",
	}
	settings = append(settings, logSettings...)
	if c.noSync {
		// Commits still reach the kernel, so that killing the server loses no data.
		settings = append(settings, "fsync=off", "full_page_writes=off")
	}
	return settings
}

// awaitReady waits until the server accepts connections: its file has its process id and the state
// "ready". It returns an error if the server ends. If ctx ends, it ends the server and returns an
// error that wraps ctx's.
func (c *cluster) awaitReady(ctx context.Context, p *postmaster) error {
	for {
		if pid, state := c.postmasterRecord(); pid == p.pid && state == "ready" {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("postgres ended while starting (%s): %s", p.status, p.log.tail())
		case <-ctx.Done():
			p.end(syscall.SIGQUIT)
			return fmt.Errorf("postgres was not ready in time: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// killDelay is how long an immediate shutdown may take before the process is killed. It is
// arbitrary.
const killDelay = 5 * time.Second

// shutDown asks the server for a clean shutdown and waits for its end. When hurry is closed, it
// asks for an immediate shutdown, and kills the server after killDelay. If hurry is nil, it waits
// without limit. From then on the server's lines are logged at level Debug.
func (p *postmaster) shutDown(hurry <-chan struct{}) {
	p.log.quieten()
	_ = p.process.Signal(syscall.SIGINT)
	select {
	case <-p.exited:
	case <-hurry:
		p.end(syscall.SIGQUIT)
	}
}

// end sends the signal and waits for the end of the server. If the server has not ended after
// killDelay, it kills it.
func (p *postmaster) end(signal syscall.Signal) {
	_ = p.process.Signal(signal)
	select {
	case <-p.exited:
	case <-time.After(killDelay):
		_ = p.process.Kill()
		<-p.exited
	}
}

// Limits of Postgres' shared buffers, in MB. Lists and searches of 100,000 memories use about 400
// MB: with 128 MB, a search read 135 pages from the system, with 384 MB it read 15.
const (
	minBuffers = 128
	maxBuffers = 384
	// buffersDivisor is the ratio of all memory to buffers, between the limits. It is arbitrary.
	buffersDivisor = 16
)

// sharedBuffers returns a Postgres setting such as 256MB: a sixteenth of memory, which is in bytes,
// but at least minBuffers and at most maxBuffers MB. If memory is 0, it is minBuffers.
func sharedBuffers(memory uint64) string {
	return strconv.FormatUint(min(max(memory/buffersDivisor>>20, minBuffers), maxBuffers), 10) + "MB"
}
