import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { loadConfig } from '../src/core/config.js';

interface Service {
  image: string;
  environment?: Record<string, string>;
  env_file?: unknown;
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
        name === 'console'
          ? ['CONSOLE_HOST', 'CONSOLE_PORT']
          : ['MANAGEMENT_HOST', 'MANAGEMENT_PORT', 'REDIS_URL', 'TRUSTED_PROXIES'];
      expect(decided.sort()).toEqual(
        ['DATABASE_URL', 'HOST', 'NODE_ENV', 'PORT', 'SECRETS_KEY', 'TOPUP_DATA_DIR', ...ofContainer].sort(),
      );
    }
  });
});
