import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Expose, plainToInstance, Transform, type TransformFnParams } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, Matches, Max, Min, validateSync } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { ConfigError } from './config-error.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');

/** Declares a variable, and how its text becomes a value. */
const Variable =
  (read: (text: unknown) => unknown): PropertyDecorator =>
  (target, property) => {
    Expose()(target, property);
    Transform(({ value }: TransformFnParams) => read(value))(target, property);
  };

/** A whole number from the environment; anything else is left as it is, for the validator to name. */
const WholeNumber = (fallback?: number): PropertyDecorator =>
  Variable((text) => {
    if (isBlank(text)) return fallback;
    return typeof text === 'string' && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text;
  });

const Text = (fallback?: string): PropertyDecorator =>
  Variable((text) => (isBlank(text) ? fallback : String(text).trim()));

const Flag = (fallback = false): PropertyDecorator =>
  Variable((text) => {
    if (isBlank(text)) return fallback;
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  });

const PORT_RULE = { message: '$property must be a port number, 0 to 65535' };
const CIDRS_RULE = {
  message: '$property must be a comma-separated list of networks such as 10.0.0.0/8,::1/128',
};
const COUNT_RULE = (max: number): { message: string } => ({
  message: `$property must be a whole number, 1 to ${max}`,
});
const YEAR_MS = 31_536_000_000;
const DAYS_RULE = { message: '$property must be a whole number of days, 0 to 36500' };
const MILLISECONDS_RULE = {
  message: `$property must be a whole number of milliseconds, 0 to ${YEAR_MS} (a year)`,
};

/** The environment variables, as `.env.example` explains them. */
class Environment {
  @Text('development')
  @IsIn(['development', 'production', 'test'], {
    message: '$property must be development, production or test',
  })
  NODE_ENV!: 'development' | 'production' | 'test';

  @Text()
  @Matches(/^postgres(ql)?:\/\/.+/, { message: '$property must be set to a postgres:// connection string' })
  DATABASE_URL!: string;

  @Text()
  @Matches(/^rediss?:\/\/.+/, { message: '$property must be set to a redis:// connection string' })
  REDIS_URL!: string;

  @Text('') REDIS_TLS_CA_FILE!: string;

  @WholeNumber(3000) @IsInt(PORT_RULE) @Min(0, PORT_RULE) @Max(65535, PORT_RULE) PORT!: number;

  @Text('0.0.0.0')
  @Matches(/^[0-9A-Za-z.:_-]+$/, { message: '$property must be an address to listen on' })
  HOST!: string;

  @IsOptional()
  @WholeNumber()
  @IsInt(PORT_RULE)
  @Min(0, PORT_RULE)
  @Max(65535, PORT_RULE)
  MANAGEMENT_PORT?: number;

  @Text('127.0.0.1')
  @Matches(/^[0-9A-Za-z.:_-]+$/, { message: '$property must be an address to listen on' })
  MANAGEMENT_HOST!: string;

  @Text('operator')
  @Matches(/^[^:\p{Cc}]{1,128}$/u, { message: '$property must be 1 to 128 characters without a colon' })
  MANAGEMENT_USER!: string;

  @Text('') MANAGEMENT_PASSWORD!: string;

  @IsOptional()
  @Text()
  @Matches(/^[A-Za-z0-9+/]{43}=$/, {
    message: '$property must be 32 bytes in base64: openssl rand -base64 32',
  })
  SECRETS_KEY?: string;

  @Text('')
  @Matches(/^([A-Za-z0-9+/]{43}=(,|$))*$/, {
    message: '$property must be a comma-separated list of former SECRETS_KEYs',
  })
  SECRETS_PREVIOUS_KEYS!: string;

  @Text('') @Matches(/^[0-9A-Fa-f.:/, ]*$/, CIDRS_RULE) WEBHOOK_ALLOWED_CIDRS!: string;

  @Text('') @Matches(/^[0-9A-Fa-f.:/, ]*$/, CIDRS_RULE) TRUSTED_PROXIES!: string;

  @WholeNumber(10)
  @IsInt(COUNT_RULE(1000))
  @Min(1, COUNT_RULE(1000))
  @Max(1000, COUNT_RULE(1000))
  WEBHOOK_MAX_IN_FLIGHT!: number;

  @WholeNumber(90)
  @IsInt(DAYS_RULE)
  @Min(0, DAYS_RULE)
  @Max(36_500, DAYS_RULE)
  WEBHOOK_LOG_DAYS!: number;

  @WholeNumber(64)
  @IsInt(COUNT_RULE(10_000))
  @Min(1, COUNT_RULE(10_000))
  @Max(10_000, COUNT_RULE(10_000))
  SUPPLIER_MAX_IN_FLIGHT!: number;

  @WholeNumber(30_000)
  @IsInt(MILLISECONDS_RULE)
  @Min(0, MILLISECONDS_RULE)
  @Max(YEAR_MS, MILLISECONDS_RULE)
  SUPPLIER_QUIET_PERIOD_MS!: number;

  @WholeNumber(86_400_000)
  @IsInt(MILLISECONDS_RULE)
  @Min(0, MILLISECONDS_RULE)
  @Max(YEAR_MS, MILLISECONDS_RULE)
  SUPPLIER_REVIEW_AFTER_MS!: number;

  @WholeNumber(1000)
  @IsInt({ message: '$property must be a whole number, 0 to turn the limit off' })
  @Min(0, { message: '$property must be a whole number, 0 to turn the limit off' })
  RATE_LIMIT_PER_SECOND!: number;

  @WholeNumber(20)
  @IsInt(COUNT_RULE(500))
  @Min(1, COUNT_RULE(500))
  @Max(500, COUNT_RULE(500))
  DATABASE_POOL_SIZE!: number;

  @Flag(true)
  @IsBoolean({ message: '$property must be true or false' })
  DATABASE_PREPARED_STATEMENTS!: boolean;

  @Text('{topup}')
  @Matches(/^[\x21-\x7e]{1,64}$/, { message: '$property must be 1 to 64 printable characters' })
  QUEUE_PREFIX!: string;

  @Text('info')
  @IsIn(LOG_LEVELS, { message: `$property must be one of ${LOG_LEVELS.join(', ')}` })
  LOG_LEVEL!: (typeof LOG_LEVELS)[number];

  @Flag() @IsBoolean({ message: '$property must be true or false' }) LOG_PRETTY!: boolean;

  @Text('.local') TOPUP_DATA_DIR!: string;
}

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Everything that the environment decides, checked and with its defaults. */
export interface Config extends Omit<
  Environment,
  'WEBHOOK_ALLOWED_CIDRS' | 'SECRETS_KEY' | 'SECRETS_PREVIOUS_KEYS' | 'REDIS_TLS_CA_FILE'
> {
  /** 32 bytes, or null where nothing was set (only the command line runs without). */
  readonly secretsKey: Buffer | null;
  /** Keys that still open what was sealed under them. */
  readonly previousSecretsKeys: readonly Buffer[];
  /** Certificates in PEM that Redis' own must lead to; null for the public authorities. */
  readonly redisAuthority: string | null;
  readonly webhookAllowedNetworks: readonly Network[];
  readonly trustedProxies: readonly string[];
}

export const CONFIG = Symbol('CONFIG');

interface LoadOptions {
  /** The command line's commands that touch no secret run without SECRETS_KEY, and without Redis. */
  forCommandLine?: boolean;
}

/**
 * Reads the configuration from environment variables, once, at the start of a process.
 * @throws ConfigError naming every variable that is missing or wrong.
 */
export function loadConfig(env: NodeJS.ProcessEnv, options: LoadOptions = {}): Config {
  const source = options.forCommandLine
    ? { ...env, REDIS_URL: env.REDIS_URL || 'redis://127.0.0.1:6379' }
    : env;
  const environment = plainToInstance(Environment, source, {
    // Only the known names: no other variable of the process can reach the configuration.
    excludeExtraneousValues: true,
    exposeUnsetFields: false,
  });
  const problems = validateSync(environment).map(
    (error) => Object.values(error.constraints ?? {})[0] ?? error.property,
  );
  for (const name of ['DATABASE_URL', 'REDIS_URL'] as const) checkServer(name, environment[name], problems);
  const redisAuthority = readAuthority(environment, problems);
  const webhookAllowedNetworks = parseNetworks(
    'WEBHOOK_ALLOWED_CIDRS',
    environment.WEBHOOK_ALLOWED_CIDRS,
    problems,
  );
  parseNetworks('TRUSTED_PROXIES', environment.TRUSTED_PROXIES, problems);
  const secretsKey = environment.SECRETS_KEY ?? localSecretsKey(environment);
  if (secretsKey === undefined && !options.forCommandLine) {
    problems.push('SECRETS_KEY must be set to 32 bytes in base64: openssl rand -base64 32');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const {
    SECRETS_KEY: _key,
    SECRETS_PREVIOUS_KEYS: previousKeys,
    REDIS_TLS_CA_FILE: _file,
    ...plain
  } = environment;
  return Object.freeze({
    ...plain,
    secretsKey: secretsKey === undefined ? null : Buffer.from(secretsKey, 'base64'),
    previousSecretsKeys: splitList(previousKeys).map((key) => Buffer.from(key, 'base64')),
    redisAuthority,
    webhookAllowedNetworks,
    trustedProxies: splitList(environment.TRUSTED_PROXIES),
  });
}

function splitList(text: string): string[] {
  return (text ?? '').split(',').map((part) => part.trim()).filter((part) => part !== ''); // prettier-ignore
}

/** A host, or `?host=`, that is a list: libpq takes one, but the drivers here would take it for a name, for ever unknown. */
const SEVERAL_HOSTS = /^[a-z]+:\/\/([^/?#]*@)?[^/?#@]*,[^/?#@]*([/?#]|$)|[?&]host=[^&]*(,|%2c)/i;

function checkServer(name: string, url: string | undefined, problems: string[]): void {
  if (url === undefined || !/^(postgres(ql)?|rediss?):/.test(url)) return;
  if (SEVERAL_HOSTS.test(url))
    problems.push(`${name} names several hosts: give one, such as a name that always leads to the primary`);
  else if (!URL.canParse(url))
    problems.push(
      `${name} can't be read: in a user or password, special characters are written as %40 and the like`,
    );
}

/** The authority of Redis' certificate, where it is not a public one. */
function readAuthority(
  { REDIS_URL, REDIS_TLS_CA_FILE: file }: Environment,
  problems: string[],
): string | null {
  if (isBlank(file)) return null;
  if (!REDIS_URL?.startsWith('rediss:'))
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

/**
 * A network in CIDR notation, or a single address; undefined when it is neither. An IPv4 address has its four decimal
 * parts: the short, octal and hexadecimal forms mean other addresses than most people read in them.
 */
export function parseNetwork(text: string): Network | undefined {
  const [address = ''] = text.split('/', 1);
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (address !== text) return undefined;
  const single = ipaddr.parse(address);
  return [single, single.kind() === 'ipv4' ? 32 : 128];
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
