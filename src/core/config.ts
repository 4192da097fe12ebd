import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isBaseUrl, withoutTrailingSlashes } from './urls.js';
import { ConfigError } from './config-error.js';
import { readConsoleConfig, type ConsoleConfig, type ConsoleVariable } from './console-config.js';
import { Environment, isBlank } from './environment.js';
import { parseNetwork, readTrustedProxies, splitList, type Network, type TrustedProxies } from './networks.js';
import { localDataDir } from './project-root.js';
import { readRedisUrl } from './redis-url.js';

/** The configuration from the environment, checked and with defaults. */
export interface Config extends Omit<
  Environment,
  | ('WEBHOOK_ALLOWED_CIDRS' | 'SECRETS_KEY' | 'SECRETS_PREVIOUS_KEYS' | 'REDIS_TLS_CA_FILE')
  | ('SUPPLIER_CALLBACK_BASE_URL' | 'G2BULK_BASE_URL')
  | ConsoleVariable
> {
  /** 32 bytes. Null if not set: only the command line, migrations and partitioning start without it. */
  readonly secretsKey: Buffer | null;
  /** Former keys. They open secrets, but seal none. */
  readonly previousSecretsKeys: readonly Buffer[];
  /** The authorities that may sign Redis' certificate: certificates in PEM. Null for the public authorities. */
  readonly redisAuthority: string | null;
  readonly webhookAllowedNetworks: readonly Network[];
  readonly trustedProxies: TrustedProxies;
  /** The public address of the API for suppliers' callbacks, without a slash at its end; null without callbacks. */
  readonly supplierCallbackBaseUrl: string | null;
  /** The base URL of G2Bulk's player checks, without a slash at its end. */
  readonly g2bulkBaseUrl: string;
  readonly console: ConsoleConfig;
  /** PostgreSQL cancels a statement of the main pool after this time, unless its transaction sets another limit. */
  readonly statementTimeoutMs: number;
  /** How long to wait for a connection to PostgreSQL, or for a free one of the pool. */
  readonly connectTimeoutMs: number;
}

export const CONFIG = Symbol('CONFIG');

interface LoadOptions {
  /** The command line, migrations and partitioning need no Redis. They need SECRETS_KEY only to use a secret. */
  forCommandLine?: boolean;
  /** The console needs no Redis. It has its own pool size and statement timeout. */
  forConsole?: boolean;
}

const STATEMENT_TIMEOUT_MS = 6_000;
/** A client can repeat its request, so it gets 503 soon. A person who runs a command would rather wait for a busy server. */
export const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_CONNECT_TIMEOUT_MS = 10_000;
const CONSOLE_OVERRIDES = { DATABASE_POOL_SIZE: 8, statementTimeoutMs: 5_000 };

/**
 * Reads the configuration from environment variables at the start of a process.
 * @throws ConfigError with every missing or wrong variable.
 */
export function loadConfig(env: NodeJS.ProcessEnv, options: LoadOptions = {}): Config {
  const { forCommandLine = false, forConsole = false } = options;
  const source = forCommandLine || forConsole ? { ...env, REDIS_URL: env.REDIS_URL || 'redis://127.0.0.1:6379' } : env;
  const environment = plainToInstance(Environment, source, {
    // Ignores unknown variables of the process.
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
  const [consoleConfig, commonEnvironment] = readConsoleConfig(environment, problems, forConsole);
  const secretsKey = environment.SECRETS_KEY ?? localSecretsKey(environment, env);
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
  } = commonEnvironment;
  return Object.freeze({
    ...plain,
    secretsKey: secretsKey === undefined ? null : Buffer.from(secretsKey, 'base64'),
    previousSecretsKeys: splitList(previousKeys).map((key) => Buffer.from(key, 'base64')),
    redisAuthority,
    webhookAllowedNetworks,
    trustedProxies,
    supplierCallbackBaseUrl,
    g2bulkBaseUrl,
    console: consoleConfig,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: forCommandLine ? COMMAND_CONNECT_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
    ...(forConsole ? CONSOLE_OVERRIDES : {}),
  });
}

/** A list of hosts. libpq accepts such a list, but our driver would look it up as a single name. */
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

/** Checks files named in a PostgreSQL URL, because the driver would report them late and without the variable's name. */
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
    // In a cluster, a script may use several keys only if all are in one slot.
    if (readRedisUrl(url).kind === 'cluster' && !/\{[^}]+\}/.test(prefix ?? ''))
      problems.push('QUEUE_PREFIX must have a part in braces, such as {topup}, where REDIS_URL names a cluster');
  } catch (error) {
    problems.push(`REDIS_URL ${(error as Error).message}`);
  }
}

/** Reads the certificate of the authority that signed Redis' certificate; null for a public authority. */
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
  if (!isBaseUrl(baseUrl))
    problems.push(`${name} must be an http or https URL without credentials, query, fragment or blanks`);
  return withoutTrailingSlashes(baseUrl);
}

function parseNetworks(name: string, list: string, problems: string[]): Network[] {
  return splitList(list).flatMap((part) => {
    const network = parseNetwork(part);
    if (!network) problems.push(`${name} has an entry that is no network or address: ${part}`);
    return network ? [network] : [];
  });
}

/** The key that `npm start` generated; production uses the environment only. */
function localSecretsKey({ NODE_ENV }: Environment, env: NodeJS.ProcessEnv): string | undefined {
  const file = path.join(localDataDir(env), 'secrets-key');
  if (NODE_ENV === 'production' || !existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').trim();
}
