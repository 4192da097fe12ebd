import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { loadConfig } from '../src/core/config.js';

interface Service {
  image: string;
  environment?: Record<string, string>;
  env_file?: unknown;
  profiles?: string[];
  ports?: string[];
  [member: string]: unknown;
}

const read = (place: string): string => readFileSync(new URL(`../${place}`, import.meta.url), 'utf8');
const { services } = load(read('docker-compose.yml'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  services: Record<string, Service>;
};

/** The variables that .env.example explains. */
const VARIABLES = [...read('.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = '']) => name);

/** Variables whose value grants access. The address of a database may hold a password. */
const SECRETS = VARIABLES.filter((name) => /PASSWORD|SECRET|TOKEN|KEY|_URL$/.test(name)).filter(
  (name) => !['SUPPLIER_CALLBACK_BASE_URL', 'G2BULK_BASE_URL', 'CONSOLE_URL'].includes(name),
);

/** The variables of .env that a part of the file uses. */
const takenBy = (part: unknown): string[] => {
  const names = [...JSON.stringify(part ?? null).matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
};

const OF_DATABASE = ['DATABASE_READ_URL', 'POSTGRES_PASSWORD', 'SECRETS_KEY', 'SECRETS_PREVIOUS_KEYS'];

describe('docker-compose.yml', () => {
  it('gives each service only the secrets that it uses', () => {
    const seen = Object.entries(services).map(([name, service]) => [
      name,
      takenBy(service).filter((each) => SECRETS.includes(each)),
    ]);
    expect(Object.fromEntries(seen)).toEqual({
      postgres: ['POSTGRES_PASSWORD'],
      redis: ['REDIS_PASSWORD'],
      api: ['MANAGEMENT_PASSWORD', 'REDIS_PASSWORD', ...OF_DATABASE].sort(),
      worker: ['MANAGEMENT_PASSWORD', 'REDIS_PASSWORD', ...OF_DATABASE].sort(),
      console: ['CONSOLE_OIDC_CLIENT_SECRET', ...OF_DATABASE].sort(),
      nginx: [],
      simulator: ['SIMULATOR_TOKEN'],
      seed: ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'SECRETS_KEY', 'SIMULATOR_TOKEN'],
      prometheus: [],
      grafana: ['GRAFANA_PASSWORD'],
      caddy: [],
      backup: ['POSTGRES_PASSWORD'],
      alertmanager: ['ALERT_LINE_TOKEN', 'ALERT_SMTP_PASSWORD', 'ALERT_TELEGRAM_TOKEN'],
    });
    expect(Object.keys(services).filter((name) => services[name]?.env_file !== undefined)).toEqual([]);
  });

  it('puts no secret in arguments, which ps and docker inspect show', () => {
    for (const { command, entrypoint, healthcheck, labels } of Object.values(services))
      expect(takenBy([command, entrypoint, healthcheck, labels]).filter((each) => SECRETS.includes(each))).toEqual([]);
  });

  it.each([
    ['api', /^CONSOLE_(?!URL|PORT)/],
    ['worker', /^CONSOLE_(?!URL|PORT)/],
    ['console', /^(REDIS|MANAGEMENT|TRUSTED|QUEUE)_/],
  ])('gives %s all its variables of .env.example', (name, forOthers) => {
    const { environment = {} } = services[name] ?? {};
    // Docker compose itself reads these variables, and so do the services.
    const ofService = VARIABLES.slice(0, VARIABLES.indexOf('TOPUP_VERSION'));
    const expected = ofService.filter((each) => !/^(POSTGRES|REDIS)_PASSWORD$/.test(each) && !forOthers.test(each));
    expect(Object.keys(environment).sort()).toEqual(expected.sort());
  });

  it('uses the defaults for variables that .env lacks', () => {
    for (const name of ['api', 'worker', 'console']) {
      const options = { forConsole: name === 'console' };
      const settings = Object.entries(services[name]?.environment ?? {}).map(
        ([variable, value]) => [variable, value.endsWith('- }') ? ' ' : value.replace(/\$\{[^}]*\}/g, 'x')] as const,
      );
      const secret = { SECRETS_KEY: Buffer.alloc(32).toString('base64') };
      const decided = settings.filter(([, value]) => value !== ' ');
      const configOf = (env: typeof settings) => loadConfig({ ...Object.fromEntries(env), ...secret }, options);
      expect(decided.length).toBeLessThan(settings.length / 2);
      expect(configOf(settings)).toEqual(configOf(decided));
    }
  });

  it('keeps the values of .env, except those that the container determines', () => {
    for (const name of ['api', 'worker', 'console']) {
      const decided = Object.entries(services[name]?.environment ?? {})
        .filter(([variable, value]) => value !== `\${${variable}- }`)
        .map(([variable]) => variable);
      const ofContainer =
        name === 'console' ? ['CONSOLE_HOST'] : ['MANAGEMENT_HOST', 'MANAGEMENT_PORT', 'REDIS_URL', 'TRUSTED_PROXIES'];
      expect(decided.sort()).toEqual(
        ['DATABASE_URL', 'HOST', 'NODE_ENV', 'PORT', 'SECRETS_KEY', 'TOPUP_DATA_DIR', ...ofContainer].sort(),
      );
    }
  });

  it('counts only nightly dumps for the health of the backup', () => {
    const [names = 'none'] = /'topup-\?.+dump'/.exec(read('deploy/backup/backup.sh')) ?? [];
    expect(services.backup?.healthcheck).toMatchObject({ test: expect.stringContaining(`-name ${names} `) });
  });
});

/** A folder of its own with `make-env.sh`, and with a `docker` that prints the names of volumes. */
function makeEnvFolder(docker = 'exit 0'): { folder: string; run: (...names: string[]) => SpawnSyncReturns<string> } {
  const folder = mkdtempSync(path.join(tmpdir(), '_-Topup-env-'));
  for (const name of ['deploy', 'bin']) mkdirSync(path.join(folder, name));
  for (const file of ['deploy/make-env.sh', '.env.example']) copyFileSync(file, path.join(folder, file));
  writeFileSync(path.join(folder, 'bin/docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env.PATH ?? ''}` };
  const run = (...names: string[]): SpawnSyncReturns<string> =>
    spawnSync('sh', ['deploy/make-env.sh', ...names], { cwd: folder, encoding: 'utf8', env });
  return { folder, run };
}

/** Runs `make-env.sh`. @param names of the profile `edge`. @param earlier lines of an .env. @returns the .env, and what was printed. */
function runMakeEnv(names: string[], earlier?: string): { env: Record<string, string>; printed: string } {
  const { folder, run: makeIn } = makeEnvFolder();
  if (earlier !== undefined) writeFileSync(path.join(folder, '.env'), earlier);
  const run = makeIn(...names);
  const text = readFileSync(path.join(folder, '.env'), 'utf8');
  rmSync(folder, { recursive: true });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  const variables = [...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)];
  return { env: Object.fromEntries(variables.map(([, name = '', value = '']) => [name, value])), printed: run.stdout };
}

const makeEnv = (names: string[]): Record<string, string> => runMakeEnv(names).env;

/** A part of the file with the values of .env. */
const interpolated = (part: string, env: Record<string, string>): string =>
  part.replace(/\$\{([A-Z0-9_]+)(?::?-([^}]*))?\}/g, (_, name: string, missing = '') => env[name] || String(missing));

describe('make-env.sh', () => {
  it('writes no fresh secrets beside the database of a lost .env, unless there is a new one', () => {
    const name = '$(basename "$PWD" | tr A-Z a-z | cut -c 3-)_postgres-data';
    const { folder, run } = makeEnvFolder(`[ "$*" = 'volume ls -q' ] && echo other && echo "${name}"`);
    const { status, stderr } = run();
    const volume = `${path.basename(folder).toLowerCase().slice(2)}_postgres-data`;
    expect([status, stderr]).toEqual([1, expect.stringContaining(`the volume ${volume} has a database`)]);
    expect(existsSync(path.join(folder, '.env'))).toBe(false);
    copyFileSync('.env.example', path.join(folder, '.env'));
    expect(run().status).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('writes no fresh secrets if Docker refuses to name its volumes', () => {
    const { folder, run } = makeEnvFolder('echo "permission denied" >&2; exit 1');
    const { status, stderr } = run();
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^permission denied\n.*run this command with sudo/)]);
    expect(existsSync(path.join(folder, '.env'))).toBe(false);
    rmSync(folder, { recursive: true });
  });
});

describe('the API', () => {
  // After a restore, operators start the API alone to pause all suppliers: a worker would buy.
  it('needs only PostgreSQL and Redis, which need nothing', () => {
    const { api, postgres, redis } = services;
    expect(Object.keys(api?.depends_on ?? {})).toEqual(['postgres', 'redis']);
    expect([postgres?.depends_on, redis?.depends_on]).toEqual([undefined, undefined]);
  });
});

describe('the console', () => {
  it('has the port at which browsers reach it, for its links and its origin', () => {
    const env = { CONSOLE_PORT: '3200' };
    const { environment = {}, ports = [] } = services.console ?? {};
    expect(ports.map((each) => interpolated(each, env))).toEqual(['127.0.0.1:3200:3200']);
    const settings = Object.entries(environment).map(([name, value]) => [name, interpolated(value, env)] as const);
    const secrets = { SECRETS_KEY: Buffer.alloc(32).toString('base64'), DATABASE_URL: 'postgres://db/topup' };
    const config = loadConfig({ ...Object.fromEntries(settings), ...secrets }, { forConsole: true });
    expect(config.console).toMatchObject({ port: 3200, url: 'http://127.0.0.1:3200' });
    // Behind Caddy, too.
    expect(interpolated(services.caddy?.environment?.CONSOLE_PORT ?? '', env)).toBe('3200');
    expect(read('deploy/caddy/Caddyfile')).toContain('reverse_proxy console:{$CONSOLE_PORT:3100} {');
  });
});

describe('the profile edge', () => {
  const NAMES = ['topup.example.com', 'console.example.com'];

  it('adds services, and changes none of those that run without a profile', () => {
    const namesOf = (matches: (profiles: string[] | undefined) => boolean | undefined): string[] =>
      Object.entries(services).flatMap(([name, { profiles }]) => (matches(profiles) ? [name] : []));
    const always = ['postgres', 'redis', 'api', 'worker', 'console', 'nginx'];
    expect(namesOf((profiles) => profiles === undefined)).toEqual(always);
    expect(namesOf((profiles) => profiles?.includes('edge'))).toEqual([
      'caddy',
      'backup',
      'alertmanager',
      'prometheus',
    ]);
  });

  it('needs only the two names', () => {
    const { SECRETS_KEY = '', ...env } = makeEnv(NAMES);
    expect(env).toMatchObject({ COMPOSE_PROFILES: 'edge', EDGE_API_NAME: NAMES[0], EDGE_CONSOLE_NAME: NAMES[1] });
    const settings = { ...services.console?.environment, ...env, SECRETS_KEY, DATABASE_URL: 'postgres://db/topup' };
    const config = loadConfig({ ...settings, NODE_ENV: 'production', PORT: '3000' }, { forConsole: true });
    expect(config.console).toMatchObject({ isHttps: true, url: 'https://console.example.com', trustedProxies: 1 });
    expect(config.supplierCallbackBaseUrl).toBe('https://topup.example.com');
  });

  it('publishes Caddy alone to other machines', () => {
    const published = (env: Record<string, string>): string[] =>
      Object.entries(services)
        .flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${interpolated(port, env)}`))
        .filter((each) => !each.includes(' 127.0.0.1:'));
    expect(published(makeEnv(NAMES))).toEqual(['caddy 80:80', 'caddy 443:443', 'caddy 443:443/udp']);
    expect(published(makeEnv([]))).toContain('nginx 3000:8080');
  });

  it('keeps what an operator set, and can be repeated with other names', () => {
    const earlier =
      'PORT=8080\nCOMPOSE_PROFILES=observability\nTRUSTED_PROXIES=10.1.2.3\nCONSOLE_URL=https://old.example.com\n';
    const { env, printed } = runMakeEnv(NAMES, earlier);
    expect(env).toMatchObject({
      PORT: '127.0.0.1:8080',
      COMPOSE_PROFILES: 'observability,edge',
      TRUSTED_PROXIES: '10.1.2.3',
      CONSOLE_URL: 'https://console.example.com',
    });
    expect(printed).toContain('CONSOLE_URL is set in .env. It was https://old.example.com before\n');
    expect(printed).toContain('TRUSTED_PROXIES stays 10.1.2.3. Unless it covers Caddy');
    const { env: again } = runMakeEnv(
      NAMES,
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    expect(again).toEqual(env);
  });
});
