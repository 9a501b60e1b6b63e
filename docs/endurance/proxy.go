package main

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A database is a PostgreSQL server as libpq's settings name it.
type database struct {
	network, addr, user, password, name string
}

// parse reads an address: a URL, or settings such as "host=/run/postgresql user=assay".
func parse(text string) (d database, err error) {
	set := map[string]string{"host": "127.0.0.1", "port": "5432", "user": "postgres"}
	if strings.Contains(text, "://") {
		u, err := url.Parse(text)
		if err != nil {
			return d, err
		}
		for name, value := range map[string]string{"host": u.Hostname(), "port": u.Port(), "user": u.User.Username(), "dbname": strings.Trim(u.Path, "/")} {
			if value != "" {
				set[name] = value
			}
		}
		for _, name := range []string{"host", "port"} {
			if value := u.Query().Get(name); value != "" {
				set[name] = value
			}
		}
		set["password"], _ = u.User.Password()
	} else {
		for pair := range strings.FieldsSeq(text) {
			name, value, _ := strings.Cut(pair, "=")
			set[name] = value
		}
	}
	d = database{"tcp", net.JoinHostPort(set["host"], set["port"]), set["user"], set["password"], set["dbname"]}
	if filepath.IsAbs(set["host"]) {
		d.network, d.addr = "unix", filepath.Join(set["host"], ".s.PGSQL."+set["port"])
	}
	if d.name == "" {
		d.name = d.user
	}
	if d.password == "" {
		d.password = os.Getenv("PGPASSWORD")
	}
	return d, nil
}

// through is the URL of the database behind another address.
func (d database) through(addr, schema string) string {
	user := url.User(d.user)
	if d.password != "" {
		user = url.UserPassword(d.user, d.password)
	}
	u := url.URL{Scheme: "postgres", User: user, Host: addr, Path: "/" + d.name, RawQuery: url.Values{"sslmode": {"disable"}, "schema": {schema}, "connect_timeout": {"5"}}.Encode()}
	return u.String()
}

// A proxy stands between the installation and the database, and cuts them off.
type proxy struct {
	listener net.Listener
	to       database
	mu       sync.Mutex
	shut     bool
	open     map[net.Conn]bool
}

func newProxy(to database) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, to: to, open: map[net.Conn]bool{}}
	go p.accept()
	return p, nil
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
	out, err := net.Dial(p.to.network, p.to.addr)
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
