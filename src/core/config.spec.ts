import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.js';
import { loadConfig } from './config.js';
import { projectRoot } from './project-root.js';

const dataDir = mkdtempSync(path.join(tmpdir(), 'config-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const KEY = Buffer.alloc(32, 7).toString('base64');
const complete = {
  DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/topup',
  REDIS_URL: 'redis://127.0.0.1:6379',
  SECRETS_KEY: KEY,
  TOPUP_DATA_DIR: dataDir,
};

function problemsOf(env: NodeJS.ProcessEnv, options: { forConsole?: boolean } = {}): string {
  try {
    loadConfig(env, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('configuration', () => {
  it('has the documented defaults', () => {
    expect(loadConfig(complete)).toMatchObject({
      PORT: 3000,
      MANAGEMENT_PORT: undefined,
      MANAGEMENT_HOST: '127.0.0.1',
      RATE_LIMIT_PER_SECOND: 1000,
      WEBHOOK_MAX_IN_FLIGHT: 10,
      SUPPLIER_QUIET_PERIOD_MS: 30_000,
      SUPPLIER_REVIEW_AFTER_MS: 86_400_000,
      SUPPLIER_SYNC_INTERVAL_MS: 3_600_000,
      SUPPLIER_BALANCE_INTERVAL_MS: 300_000,
      SUPPLIER_PURCHASES_INTERVAL_MS: 600_000,
      ROUTING_COST_MAX_AGE_MS: 86_400_000,
      ROUTING_RATE_MAX_AGE_MS: 604_800_000,
      ROUTING_MIN_MARGIN_PERCENT: '0',
      LOG_LEVEL: 'info',
      LOG_PRETTY: false,
      webhookAllowedNetworks: [],
      trustedProxies: [],
    });
  });

  it('has the documented defaults of the console', () => {
    expect(loadConfig(complete).console).toEqual({
      port: 3100,
      host: '127.0.0.1',
      url: 'http://127.0.0.1:3100',
      isHttps: false,
      trustedProxies: [],
      sessionMs: 43_200_000,
      idleMs: 3_600_000,
      requireSecondFactor: 'money',
      confirmAbove: 100_000n,
      approvalAbove: null,
      timezone: 'Asia/Bangkok',
      company: null,
    });
  });

  it.each([
    ['CONSOLE_URL', 'https://console.example.com/path', 'an http or https origin'],
    ['CONSOLE_URL', 'console.example.com', 'an http or https origin'],
    ['CONSOLE_URL', 'http://console.example.com', 'begin with https:// in production'],
    ['CONSOLE_PORT', '70000', 'a port number'],
    ['CONSOLE_HOST', 'every where', 'an address to listen on'],
    ['CONSOLE_TRUSTED_PROXIES', '10.0.0.300', 'a comma-separated list of networks'],
    ['CONSOLE_TRUSTED_PROXIES', '1,10.0.0.1', 'a comma-separated list of networks'],
    ['TRUSTED_PROXIES', '0', 'a comma-separated list of networks'],
    ['TRUSTED_PROXIES', '10', 'a comma-separated list of networks'],
    ['CONSOLE_SESSION_HOURS', '0', 'a whole number, 1 to 720'],
    ['CONSOLE_IDLE_MINUTES', 'soon', 'a whole number, 1 to 1440'],
    ['CONSOLE_REQUIRE_2FA', 'yes', 'none, money or all'],
    ['CONSOLE_CONFIRM_ABOVE', '1,000', 'an amount in baht such as 1000.00'],
    ['CONSOLE_APPROVAL_ABOVE', 'much', 'an amount in baht such as 50000.00, or empty'],
    ['CONSOLE_TIMEZONE', '+07:00', 'the name of a time zone such as Asia/Bangkok'],
  ])('refuses %s=%s: it must be %s', (name, value, words) => {
    const problems = problemsOf({ ...complete, NODE_ENV: 'production', [name]: value });
    expect(problems).toContain(name);
    expect(problems).toMatch(words === 'a comma-separated list of networks' ? /no network/ : words);
  });

  describe('of company sign-in', () => {
    const company = {
      CONSOLE_OIDC_ISSUER: 'https://login.acme.example/realms/staff',
      CONSOLE_OIDC_CLIENT_ID: 'console',
      CONSOLE_OIDC_CLIENT_SECRET: 's3cret',
      CONSOLE_OIDC_ROLES: 'cn=leads=admin, everybody=viewer',
    };

    const problemsOfConsole = (env: NodeJS.ProcessEnv): string => problemsOf(env, { forConsole: true });

    it('has the documented defaults', () => {
      expect(loadConfig({ ...complete, ...company }, { forConsole: true }).console.company).toEqual({
        issuer: company.CONSOLE_OIDC_ISSUER,
        clientId: 'console',
        clientSecret: 's3cret',
        scopes: 'openid profile email',
        roleClaim: 'groups',
        trustsEmail: false,
        name: null,
        roles: [
          { value: 'cn=leads', role: 'admin' },
          { value: 'everybody', role: 'viewer' },
        ],
      });
    });

    it.each(Object.keys(company))('is refused if it is incomplete: without %s', (name) => {
      const problems = problemsOfConsole({ ...complete, ...company, [name]: '' });
      expect(problems).toContain(`company sign-in is incomplete: set ${name} too`);
      expect(problems).not.toContain('s3cret');
    });

    it.each([
      ['CONSOLE_OIDC_ISSUER', 'http://login.acme.example', 'begin with https:// in production'],
      ['CONSOLE_OIDC_ISSUER', 'login.acme.example', 'the https URL of the provider'],
      ['CONSOLE_OIDC_ISSUER', 'https://login.acme.example/?realm=staff', 'the https URL of the provider'],
      ['CONSOLE_OIDC_ISSUER', 'https://login.acme.example/.well-known/openid-configuration', 'must end before'],
      ['CONSOLE_OIDC_ROLES', 'leads', 'an entry that is not value=role'],
      ['CONSOLE_OIDC_ROLES', 'leads=owner', 'an entry that is not value=role'],
      ['CONSOLE_OIDC_ROLES', '=admin', 'an entry that is not value=role'],
      ['CONSOLE_OIDC_ROLES', ',', 'names no role'],
      ['CONSOLE_OIDC_SCOPES', 'profile email', 'openid among them'],
      ['CONSOLE_OIDC_TRUST_EMAIL', 'maybe', 'true or false'],
      ['CONSOLE_OIDC_NAME', 'x'.repeat(41), 'up to 40 characters'],
    ])('is refused with %s=%s', (name, value, words) => {
      const problems = problemsOfConsole({ ...complete, ...company, NODE_ENV: 'production', [name]: value });
      expect(problems).toContain(name);
      expect(problems).toContain(words);
    });

    it('accepts http for this machine', () => {
      const local = {
        ...company,
        NODE_ENV: 'production',
        CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:8080/realms/staff',
      };
      expect(problemsOfConsole({ ...complete, ...local })).toBe('');
    });

    it('applies to the console only: an API with incomplete settings starts', () => {
      const { CONSOLE_OIDC_CLIENT_SECRET: _secret, ...rest } = company;
      expect(problemsOf({ ...complete, ...rest })).toBe('');
      expect(loadConfig({ ...complete, ...company }).console.company).toBeNull();
    });
  });

  it.each(['test', 'B', '2b', 'cell_b', 'thirteenchars'])('refuses CELL=%s, which a key could not contain', (name) => {
    expect(problemsOf({ ...complete, CELL: name })).toContain('CELL must be up to 12 lower-case letters');
  });

  it.each(['', 'b', 'tests', 'bangkok2'])('accepts CELL=%s', (name) => {
    expect(loadConfig({ ...complete, CELL: name }).CELL).toBe(name);
  });

  it('waits longer for a connection in commands, because nobody repeats them', () => {
    const timeouts = [{}, { forConsole: true }, { forCommandLine: true }].map(
      (options) => loadConfig(complete, options).connectTimeoutMs,
    );
    expect(timeouts).toEqual([3_000, 3_000, 10_000]);
  });

  it('needs no Redis for the console, which has its own pool', () => {
    const { REDIS_URL: _redis, ...withoutRedis } = complete;
    const config = loadConfig({ ...withoutRedis, DATABASE_POOL_SIZE: '20' }, { forConsole: true });
    expect(config).toMatchObject({ DATABASE_POOL_SIZE: 8, statementTimeoutMs: 5_000 });
    expect(problemsOf(withoutRedis)).toContain('REDIS_URL');
  });

  it.each([
    ['DATABASE_URL', 'postgres://u:p@one:5432,two:5432/topup'],
    ['DATABASE_URL', 'postgres://one,two/topup'],
    ['DATABASE_URL', 'postgres://u:p@/topup?host=one,two'],
    ['REDIS_URL', 'rediss://:secret@one:6379,two:6379'],
  ])('refuses several hosts in %s: %s', (name, url) => {
    expect(problemsOf({ ...complete, [name]: url })).toContain(`${name} names several hosts: give one`);
    expect(problemsOf({ ...complete, [name]: url })).not.toContain('secret');
  });

  it('accepts a Redis cluster only with a prefix that keeps its keys on one server', () => {
    const ours = { ...complete, REDIS_URL: 'redis+cluster://one:6379,two:6379' };
    expect(problemsOf(ours)).toBe('');
    expect(problemsOf({ ...ours, QUEUE_PREFIX: 'topup' })).toContain('QUEUE_PREFIX must have a part in braces');
  });

  it('accepts a comma in a password', () => {
    expect(problemsOf({ ...complete, DATABASE_URL: 'postgres://u:p,q@one:5432/topup?application_name=a,b' })).toBe('');
  });

  it('names the unreadable part of a connection string, without its password', () => {
    const text = problemsOf({ ...complete, REDIS_URL: 'redis://:top secret#@one:6379' });
    expect(text).toContain("REDIS_URL can't be read");
    expect(text).not.toContain('secret');
  });

  it('accepts a certificate authority only for Redis with TLS', () => {
    const file = path.join(dataDir, 'authority.pem');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----');
    const ours = { ...complete, REDIS_URL: 'rediss://one:6379', REDIS_TLS_CA_FILE: file };
    expect(loadConfig(ours).redisAuthority).toBe('-----BEGIN CERTIFICATE-----');
    expect(problemsOf({ ...ours, REDIS_URL: 'redis://one:6379' })).toContain('it must start with rediss://');
    expect(problemsOf({ ...ours, REDIS_TLS_CA_FILE: '/nowhere' })).toContain("REDIS_TLS_CA_FILE can't be read");
    writeFileSync(file, 'no certificate');
    expect(problemsOf(ours)).toContain('holds none');
  });

  it('reports every mistake at once, by name', () => {
    const text = problemsOf({
      ...complete,
      DATABASE_URL: 'mysql://x',
      REDIS_URL: '',
      SECRETS_KEY: 'short',
      PORT: '70000',
      MANAGEMENT_PORT: 'x',
      RATE_LIMIT_PER_SECOND: '-1',
      LOG_LEVEL: 'loud',
      LOG_PRETTY: 'maybe',
      WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,10.0.0.0/99',
      WEBHOOK_MAX_IN_FLIGHT: '0',
      NODE_ENV: 'prod',
    });
    for (const name of [
      'DATABASE_URL',
      'REDIS_URL',
      'SECRETS_KEY',
      'PORT',
      'MANAGEMENT_PORT',
      'RATE_LIMIT_PER_SECOND',
      'LOG_LEVEL',
      'LOG_PRETTY',
      'WEBHOOK_ALLOWED_CIDRS',
      'WEBHOOK_MAX_IN_FLIGHT',
      'NODE_ENV',
    ]) {
      expect(text).toContain(`- ${name} `);
    }
  });

  it('never repeats a secret in a message', () => {
    expect(problemsOf({ ...complete, SECRETS_KEY: 'my-secret', DATABASE_URL: 'mysql://u:pass@h/d' })).not.toMatch(
      /my-secret|pass/,
    );
  });

  it('accepts the locally generated key, but never in production', () => {
    writeFileSync(path.join(dataDir, 'secrets-key'), `${KEY}\n`);
    const keyless = { ...complete, SECRETS_KEY: undefined };
    expect(loadConfig(keyless).secretsKey).toEqual(Buffer.alloc(32, 7));
    expect(problemsOf({ ...keyless, NODE_ENV: 'production' })).toContain('SECRETS_KEY');
  });

  it('finds the local state in the project, wherever the process starts', () => {
    const inProject = path.relative(projectRoot, dataDir);
    const before = process.cwd();
    process.chdir(path.join(projectRoot, 'src'));
    try {
      writeFileSync(path.join(dataDir, 'secrets-key'), `${KEY}\n`);
      const { secretsKey } = loadConfig({ ...complete, SECRETS_KEY: undefined, TOPUP_DATA_DIR: inProject });
      expect(secretsKey).toEqual(Buffer.alloc(32, 7));
    } finally {
      process.chdir(before);
    }
  });

  it('accepts networks and single addresses', () => {
    const { webhookAllowedNetworks } = loadConfig({ ...complete, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8, ::1' });
    expect(webhookAllowedNetworks.map(([address, bits]) => `${address.toString()}/${bits}`)).toEqual([
      '127.0.0.0/8',
      '::1/128',
    ]);
  });

  it('has a default user for operators, but no default password', () => {
    expect(loadConfig(complete)).toMatchObject({ MANAGEMENT_USER: 'operator', MANAGEMENT_PASSWORD: '' });
    expect(problemsOf({ ...complete, MANAGEMENT_USER: 'a:b' })).toContain('- MANAGEMENT_USER ');
  });
});
