package endurance

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
)

// A proxy stands between the installation and the database, and cuts them off.
type proxy struct {
	listener      net.Listener
	network, addr string // of the database
	mu            sync.Mutex
	shut          bool
	open          map[net.Conn]bool
}

// newProxy returns a proxy in front of a database, and the database's URL behind it.
func newProxy(database string) (*proxy, string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return nil, "", err
	}
	query := u.Query()
	host, port := query.Get("host"), query.Get("port")
	p := &proxy{network: "tcp", addr: net.JoinHostPort(host, port), open: map[net.Conn]bool{}}
	if strings.HasPrefix(host, "/") {
		p.network, p.addr = "unix", filepath.Join(host, ".s.PGSQL."+port)
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, "", err
	}
	go p.accept()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	query.Set("connect_timeout", "5")
	u.Host, u.RawQuery = p.listener.Addr().String(), query.Encode()
	return p, u.String(), nil
}

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return // it was closed
		}
		go p.carry(in)
	}
}

func (p *proxy) carry(in net.Conn) {
	defer func() { _ = in.Close() }() // whoever hung up
	p.mu.Lock()
	shut := p.shut
	p.mu.Unlock()
	if shut {
		return
	}
	out, err := net.Dial(p.network, p.addr)
	if err != nil {
		return // the caller is hung up on
	}
	defer func() { _ = out.Close() }()
	p.mu.Lock()
	p.open[in] = true
	p.mu.Unlock()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1]) // until one of them hangs up
			done <- struct{}{}
		}()
	}
	<-done
	p.mu.Lock()
	delete(p.open, in)
	p.mu.Unlock()
}

// cut hangs up on all, and on those that come as long as it is shut.
func (p *proxy) cut(shut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = shut
	for c := range p.open {
		_ = c.Close() // which is the point
	}
}
