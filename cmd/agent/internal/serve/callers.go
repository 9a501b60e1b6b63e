package serve

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/serve"
	"example.com/assay/serve/oidc"
	"example.com/assay/serve/runs"
)

// callers say who may call, and how much of it.
type callers struct {
	tokens     string // the file of the token
	tokenGiven bool
	open       bool
	tenantFile string
	issuer     oidc.Options
	quota      limits // of each tenant
	dry        bool   // make no file of the token
}

// limits are a quota as people write it.
type limits struct {
	AtOnce    int `yaml:"at_once"`
	PerMinute int `yaml:"per_minute"`
	MiB       int `yaml:"mib"`
}

func (l limits) check(where string) error {
	if l.AtOnce < 0 || l.PerMinute < 0 || l.MiB < 0 {
		return cli.Usagef("%s: a limit must not be below 0; 0 stands for none", where)
	}
	return nil
}

func (l limits) quota() runs.Quota {
	return runs.Quota{AtOnce: l.AtOnce, PerMinute: l.PerMinute, Bytes: int64(l.MiB) << 20}
}

func (c *callers) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.tokens, "token-file", "", "`FILE` with the token; by default serve.token of the home, which the first start makes")
	f.BoolVar(&c.open, "no-auth", false, "ask for no token; only on this machine's own address")
	f.StringVar(&c.tenantFile, "tenants", "", "`FILE` (YAML) of tenants, each with a name, a token, and optionally the corpora that it may read and its limits")
	f.StringVar(&c.issuer.Issuer, "oidc-issuer", "", "`URL` of an OpenID Connect issuer whose tokens are accepted, such as https://login.example.com")
	f.StringVar(&c.issuer.Audience, "oidc-audience", "", "`NAME` of this server in the tokens (aud)")
	f.StringVar(&c.issuer.TenantClaim, "oidc-tenant-claim", "sub", "`CLAIM` with the caller's tenant; with --tenants, one of the file's")
	f.StringVar(&c.issuer.ScopeClaim, "oidc-scope-claim", "", "`CLAIM` with the caller's scopes, of read, write and admin; by default everybody may read and write")
	f.IntVar(&c.quota.AtOnce, "tenant-at-once", 0, "how many runs of a tenant go on at the same time; by default one less than --at-once")
	f.IntVar(&c.quota.PerMinute, "tenant-per-minute", 0, "how many runs of a tenant may begin within a minute; by default any number")
	f.IntVar(&c.quota.MiB, "tenant-mib", 0, "how many MiB are kept of a tenant's threads and events; by default any number")
}

// check refuses flags that contradict each other. Own says that only this machine reaches the address.
func (c *callers) check(cmd *cobra.Command, addr string, own bool) error {
	c.tokenGiven = cmd.Flags().Changed("token-file")
	switch {
	case c.open && !own:
		return cli.Usagef("--no-auth would let everybody in who reaches %s: leave it out, or listen on 127.0.0.1", addr)
	case c.open && (c.tenantFile != "" || c.tokenGiven || c.issuer.Issuer != ""):
		return cli.Usagef("--no-auth and a way to know callers are both given; give one")
	case c.tenantFile != "" && c.tokenGiven:
		return cli.Usagef("--tenants and --token-file are both given; give one")
	case (c.issuer.Issuer == "") != (c.issuer.Audience == ""):
		return cli.Usagef("--oidc-issuer and --oidc-audience belong together: give both")
	}
	for _, flag := range []string{"oidc-tenant-claim", "oidc-scope-claim"} {
		if c.issuer.Issuer == "" && cmd.Flags().Changed(flag) {
			return cli.Usagef("--%s needs --oidc-issuer", flag)
		}
	}
	return c.quota.check("--tenant-at-once, --tenant-per-minute, --tenant-mib")
}

// shared reports whether the server has several tenants, who must not see where files are.
func (c *callers) shared() bool { return c.tenantFile != "" || c.issuer.Issuer != "" }

// byToken reports whether the server has a token of its own, in a file.
func (c *callers) byToken() bool { return !c.open && (!c.shared() || c.tokenGiven) }

// read returns the tenants that are known before they call, never none. One that calls only with
// tokens of the issuer has no token.
func (c *callers) read() (list []tenant, err error) {
	if c.tenantFile != "" {
		return readTenants(c.tenantFile)
	}
	list = []tenant{{Name: runs.DefaultTenant}}
	switch {
	case !c.byToken():
	case c.dry:
		list[0].Token = rand.Text()
	default:
		list[0].Token, err = tokenAt(c.tokens)
	}
	return list, err
}

// admit adds to a server's options who may call.
func (c *callers) admit(ctx context.Context, o *serve.Options, list []tenant) (err error) {
	o.Open, o.Runs.Quota, o.Runs.Quotas = c.open, c.quota.quota(), map[string]runs.Quota{}
	for _, t := range list {
		if t.Token != "" || c.issuer.Issuer == "" && !c.open {
			o.Tenants = append(o.Tenants, serve.Tenant{Name: t.Name, Token: t.Token})
		}
		o.Runs.Quotas[t.Name] = t.quota()
	}
	if c.issuer.Issuer == "" {
		return nil
	}
	how := c.issuer
	if c.tenantFile != "" {
		for _, t := range list {
			how.Tenants = append(how.Tenants, t.Name)
		}
	}
	o.Issuer = how.Issuer
	if o.Authenticate, err = oidc.New(ctx, how); err != nil {
		return cli.Usagef("--oidc-issuer: %w", err)
	}
	return nil
}

// greet says how callers show who they are, and returns what curl needs for that.
func (c *callers) greet(a *cli.App, tenants int) (key string) {
	key = ` -H "X-Api-Key: TOKEN"`
	if c.open {
		key = ""
		fmt.Fprintln(a.Stdout, "no token: everybody on this machine may call")
	}
	if c.issuer.Issuer != "" {
		key = ` -H "Authorization: Bearer TOKEN"`
		fmt.Fprintf(a.Stdout, "tokens of %s for %s\n", c.issuer.Issuer, c.issuer.Audience)
	}
	if c.tenantFile != "" {
		fmt.Fprintf(a.Stdout, "%s by the tokens of %s\n", cli.Count(tenants, "tenant"), c.tenantFile)
	}
	if c.byToken() {
		key = ` -H "X-Api-Key: $(cat ` + cli.Quoted(c.tokens) + `)"`
		fmt.Fprintf(a.Stdout, "token in %s\n", c.tokens)
	}
	return key
}
