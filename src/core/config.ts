import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isBaseUrl, withoutTrailingSlashes } from './urls.js';
import { ConfigError } from './config-error.js';
import { readConsoleConfig, type ConsoleConfig, type ConsoleVariable } from './console-config.js';
import { Environment, isBlank } from './environment.js';
import { parseNetwork, readTrustedProxies, splitList, type Network, type TrustedProxies } from './networks.js';
import { readRedisUrl } from './redis-url.js';

/** Everything that the environment decides, checked and with its defaults. */
export interface Config extends Omit<
  Environment,
  | ('WEBHOOK_ALLOWED_CIDRS' | 'SECRETS_KEY' | 'SECRETS_PREVIOUS_KEYS' | 'REDIS_TLS_CA_FILE')
  | ('SUPPLIER_CALLBACK_BASE_URL' | 'G2BULK_BASE_URL')
  | ConsoleVariable
> {
  /** 32 bytes, or null where nothing was set (only the command line runs without). */
  readonly secretsKey: Buffer | null;
  /** Keys that still open what was sealed under them. */
  readonly previousSecretsKeys: readonly Buffer[];
  /** Certificates in PEM that Redis' own must lead to; null for the public authorities. */
  readonly redisAuthority: string | null;
  readonly webhookAllowedNetworks: readonly Network[];
  readonly trustedProxies: TrustedProxies;
  /** Where suppliers reach the API, without a slash at its end; null where they are given no address to call. */
  readonly supplierCallbackBaseUrl: string | null;
  /** Where G2Bulk checks players, without a slash at its end. */
  readonly g2bulkBaseUrl: string;
  readonly console: ConsoleConfig;
  /** After which PostgreSQL ends a statement of a request. */
  readonly statementTimeoutMs: number;
}

export const CONFIG = Symbol('CONFIG');

interface LoadOptions {
  /** The command line's commands that touch no secret run without SECRETS_KEY, and without Redis. */
  forCommandLine?: boolean;
  /** The console does without Redis, and has a pool and limits of its own. */
  forConsole?: boolean;
}

const STATEMENT_TIMEOUT_MS = 6_000;
const OF_CONSOLE = { DATABASE_POOL_SIZE: 8, statementTimeoutMs: 5_000 };

/**
 * Reads the configuration from environment variables, once, at the start of a process.
 * @throws ConfigError naming every variable that is missing or wrong.
 */
export function loadConfig(env: NodeJS.ProcessEnv, options: LoadOptions = {}): Config {
  const { forCommandLine = false, forConsole = false } = options;
  const source = forCommandLine || forConsole ? { ...env, REDIS_URL: env.REDIS_URL || 'redis://127.0.0.1:6379' } : env;
  const environment = plainToInstance(Environment, source, {
    // Only the known names: no other variable of the process can reach the configuration.
    excludeExtraneousValues: true,
    exposeUnsetFields: false,
  });
  const problems = validateSync(environment).map(
    (error) => Object.values(error.constraints ?? {})[0] ?? error.property,
  );
  checkDatabase('DATABASE_URL', environment.DATABASE_URL, problems);
  checkDatabase('DATABASE_READ_URL', environment.DATABASE_READ_URL, problems);
  checkRedis(environment, problems);
  const redisAuthority = readAuthority(environment, problems);
  const { SUPPLIER_CALLBACK_BASE_URL: callbacks } = environment;
  const supplierCallbackBaseUrl = isBlank(callbacks)
    ? null
    : readBaseUrl('SUPPLIER_CALLBACK_BASE_URL', callbacks, problems);
  const g2bulkBaseUrl = readBaseUrl('G2BULK_BASE_URL', environment.G2BULK_BASE_URL, problems);
  const webhookAllowedNetworks = parseNetworks('WEBHOOK_ALLOWED_CIDRS', environment.WEBHOOK_ALLOWED_CIDRS, problems);
  const trustedProxies = readTrustedProxies('TRUSTED_PROXIES', environment.TRUSTED_PROXIES, problems);
  const [ofConsole, environmentOfAll] = readConsoleConfig(environment, problems, forConsole);
  const secretsKey = environment.SECRETS_KEY ?? localSecretsKey(environment);
  if (secretsKey === undefined && !forCommandLine) {
    problems.push('SECRETS_KEY must be set to 32 bytes in base64: openssl rand -base64 32');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const {
    SECRETS_KEY: _key,
    SECRETS_PREVIOUS_KEYS: previousKeys,
    REDIS_TLS_CA_FILE: _file,
    SUPPLIER_CALLBACK_BASE_URL: _callbacks,
    G2BULK_BASE_URL: _g2bulk,
    ...plain
  } = environmentOfAll;
  return Object.freeze({
    ...plain,
    secretsKey: secretsKey === undefined ? null : Buffer.from(secretsKey, 'base64'),
    previousSecretsKeys: splitList(previousKeys).map((key) => Buffer.from(key, 'base64')),
    redisAuthority,
    webhookAllowedNetworks,
    trustedProxies,
    supplierCallbackBaseUrl,
    g2bulkBaseUrl,
    console: ofConsole,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    ...(forConsole ? OF_CONSOLE : {}),
  });
}

/** A host, or `?host=`, that is a list: libpq takes one, but the drivers here would take it for a name, for ever unknown. */
const SEVERAL_HOSTS = /^[a-z]+:\/\/([^/?#]*@)?[^/?#@]*,[^/?#@]*([/?#]|$)|[?&]host=[^&]*(,|%2c)/i;

function checkDatabase(name: string, url: string | undefined, problems: string[]): void {
  if (url === undefined || !/^postgres(ql)?:/.test(url)) return;
  if (SEVERAL_HOSTS.test(url))
    problems.push(
      `${name} names several hosts: give one, such as a name that always leads to ${name === 'DATABASE_URL' ? 'the primary' : 'a standby'}`,
    );
  else if (!URL.canParse(url))
    problems.push(`${name} can't be read: in a user or password, special characters are written as %40 and the like`);
  else checkFiles(name, new URL(url).searchParams, problems);
}

/** The files that a URL of PostgreSQL names are there: the driver would say so late, and not of which variable. */
function checkFiles(name: string, parameters: URLSearchParams, problems: string[]): void {
  for (const parameter of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(parameter);
    if (file === null) continue;
    try {
      readFileSync(file);
    } catch (error) {
      problems.push(`the file that ${name} names as ${parameter} can't be read: ${(error as Error).message}`);
    }
  }
}

function checkRedis({ REDIS_URL: url, QUEUE_PREFIX: prefix }: Partial<Environment>, problems: string[]): void {
  if (url === undefined || !/^rediss?[+:]/.test(url)) return;
  try {
    // A script may use several keys only where all of them are in one slot.
    if (readRedisUrl(url).kind === 'cluster' && !/\{[^}]+\}/.test(prefix ?? ''))
      problems.push('QUEUE_PREFIX must have a part in braces, such as {topup}, where REDIS_URL names a cluster');
  } catch (error) {
    problems.push(`REDIS_URL ${(error as Error).message}`);
  }
}

/** The authority of Redis' certificate, where it is not a public one. */
function readAuthority({ REDIS_URL, REDIS_TLS_CA_FILE: file }: Environment, problems: string[]): string | null {
  if (isBlank(file)) return null;
  if (!REDIS_URL?.startsWith('rediss'))
    problems.push('REDIS_TLS_CA_FILE is set, but REDIS_URL asks for no TLS: it must start with rediss://');
  try {
    const certificates = readFileSync(file, 'utf8');
    if (certificates.includes('-----BEGIN CERTIFICATE-----')) return certificates;
    problems.push(`REDIS_TLS_CA_FILE must name a file of certificates in PEM, and ${file} holds none`);
  } catch (error) {
    problems.push(`REDIS_TLS_CA_FILE can't be read: ${(error as Error).message}`);
  }
  return null;
}

function readBaseUrl(name: string, baseUrl: string, problems: string[]): string {
  if (!isBaseUrl(baseUrl)) problems.push(`${name} must be an http or https URL without credentials, query or fragment`);
  return withoutTrailingSlashes(baseUrl);
}

function parseNetworks(name: string, list: string, problems: string[]): Network[] {
  return splitList(list).flatMap((part) => {
    const network = parseNetwork(part);
    if (!network) problems.push(`${name} has an entry that is no network: ${part}`);
    return network ? [network] : [];
  });
}

/** The key that a local start generated; production takes it from the environment only. */
function localSecretsKey(environment: Environment): string | undefined {
  const file = join(environment.TOPUP_DATA_DIR, 'secrets-key');
  if (environment.NODE_ENV === 'production' || !existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').trim();
}
