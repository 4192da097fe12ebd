import { Expose, Transform, type TransformFnParams } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { YEAR_MS } from './durations.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');

// Each decorator declares an environment variable: how its text becomes a value, its default, and its rules.

const Variable =
  (read: (text: unknown) => unknown, ...rules: PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    const declare = [Expose(), Transform(({ value }: TransformFnParams) => read(value)), ...rules];
    for (const decorate of declare) decorate(target, property);
  };

const Text = (fallback?: string, ...rules: PropertyDecorator[]): PropertyDecorator =>
  Variable((text) => (isBlank(text) ? fallback : String(text).trim()), ...rules);

const TextLike = (pattern: RegExp, words: string, fallback?: string): PropertyDecorator =>
  Text(fallback, Matches(pattern, { message: `$property must be ${words}` }));

const OneOf = (values: readonly string[], words: string, fallback: string): PropertyDecorator =>
  Text(fallback, IsIn(values, { message: `$property must be ${words}` }));

const Flag = (fallback: boolean): PropertyDecorator =>
  Variable(
    (text) => {
      if (isBlank(text)) return fallback;
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
    },
    IsBoolean({ message: '$property must be true or false' }),
  );

/** A whole number. Any other text stays as it is, so that the rules report it. */
function WholeNumber(minimum: number, maximum: number, words: string, fallback?: number): PropertyDecorator {
  const message = `$property must be ${words}`;
  return Variable(
    (text) => {
      if (isBlank(text)) return fallback;
      return typeof text === 'string' && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text;
    },
    IsInt({ message }),
    Min(minimum, { message }),
    Max(maximum, { message }),
  );
}

const Port = (fallback?: number): PropertyDecorator => WholeNumber(0, 65535, 'a port number, 0 to 65535', fallback);

const Count = (maximum: number, fallback: number): PropertyDecorator =>
  WholeNumber(1, maximum, `a whole number, 1 to ${maximum}`, fallback);

const Milliseconds = (fallback: number): PropertyDecorator =>
  WholeNumber(0, YEAR_MS, `a whole number of milliseconds, 0 to ${YEAR_MS} (a year)`, fallback);

const Address = (fallback: string): PropertyDecorator =>
  TextLike(/^[0-9A-Za-z.:_-]+$/, 'an address to listen on', fallback);

const Networks = (): PropertyDecorator =>
  TextLike(/^[0-9A-Fa-f.:/, ]*$/, 'a comma-separated list of networks such as 10.0.0.0/8,::1/128', '');

const Key = (): PropertyDecorator => TextLike(/^[A-Za-z0-9+/]{43}=$/, '32 bytes in base64: openssl rand -base64 32');

/** Empty, or the name of a cell in API keys: not `test`, which marks sandbox keys, and without underscores. */
const CELL = /^((?!test$)[a-z][a-z0-9]{0,11})?$/;

/** The environment variables, which `.env.example` explains. */
export class Environment {
  @OneOf(['development', 'production', 'test'], 'development, production or test', 'development')
  NODE_ENV!: 'development' | 'production' | 'test';

  @TextLike(/^postgres(ql)?:\/\/.+/, 'set to a postgres:// connection string') DATABASE_URL!: string;
  @TextLike(/^rediss?(\+(sentinel|cluster))?:\/\/.+/, 'set to a redis:// connection string')
  REDIS_URL!: string;
  @Text('') REDIS_TLS_CA_FILE!: string;

  @Port(3000) PORT!: number;
  @Address('0.0.0.0') HOST!: string;

  @IsOptional() @Port() MANAGEMENT_PORT?: number;
  @Address('127.0.0.1') MANAGEMENT_HOST!: string;
  @TextLike(/^[^:\p{Cc}]{1,128}$/u, '1 to 128 characters without a colon', 'operator')
  MANAGEMENT_USER!: string;
  @Text('') MANAGEMENT_PASSWORD!: string;

  @IsOptional() @Key() SECRETS_KEY?: string;
  @TextLike(/^([A-Za-z0-9+/]{43}=(,|$))*$/, 'a comma-separated list of former SECRETS_KEYs', '')
  SECRETS_PREVIOUS_KEYS!: string;

  @TextLike(CELL, 'up to 12 lower-case letters and digits, a letter first, and not "test"', '')
  CELL!: string;

  @Networks() WEBHOOK_ALLOWED_CIDRS!: string;
  @Networks() TRUSTED_PROXIES!: string;

  @Count(1000, 10) WEBHOOK_MAX_IN_FLIGHT!: number;
  @WholeNumber(0, 36_500, 'a whole number of days, 0 to 36500', 90) WEBHOOK_LOG_DAYS!: number;

  @WholeNumber(0, 365, 'a whole number of days, 0 to 365', 5) MONTH_CLOSE_AFTER_DAYS!: number;

  @Count(10_000, 64) SUPPLIER_MAX_IN_FLIGHT!: number;
  @Milliseconds(30_000) SUPPLIER_QUIET_PERIOD_MS!: number;
  @Milliseconds(86_400_000) SUPPLIER_REVIEW_AFTER_MS!: number;
  @Milliseconds(120_000) SUPPLIER_BUSY_LIMIT_MS!: number;
  @Milliseconds(3_600_000) SUPPLIER_SYNC_INTERVAL_MS!: number;
  @Milliseconds(300_000) SUPPLIER_BALANCE_INTERVAL_MS!: number;
  @Milliseconds(600_000) SUPPLIER_PURCHASES_INTERVAL_MS!: number;
  @Text('') SUPPLIER_CALLBACK_BASE_URL!: string;

  @Text('https://api.g2bulk.com/v1') G2BULK_BASE_URL!: string;

  @Milliseconds(600_000) ROUTING_DEADLINE_MS!: number;
  @Milliseconds(1_800_000) ROUTING_HOLD_LIMIT_MS!: number;

  @Milliseconds(86_400_000) ROUTING_COST_MAX_AGE_MS!: number;
  @Milliseconds(604_800_000) ROUTING_RATE_MAX_AGE_MS!: number;
  @TextLike(/^(100|\d{1,2}(\.\d{1,2})?)$/, 'a percentage such as 2.5, 0 to 100', '0')
  ROUTING_MIN_MARGIN_PERCENT!: string;

  @WholeNumber(0, 720, 'a whole number of hours, 0 to 720', 24) DEPOSIT_HOLD_HOURS!: number;
  @Milliseconds(30_000) DEPOSIT_SKEW_MS!: number;
  @WholeNumber(0, 100_000, 'a whole number, 0 to 100000', 10) DEPOSIT_MAX_OPEN!: number;
  @WholeNumber(0, 100_000, 'a whole number, 0 to 100000', 10) DEPOSIT_CREATE_PER_MINUTE!: number;
  @WholeNumber(0, 100_000, 'a whole number, 0 to 100000', 100) DEPOSIT_MAX_HELD!: number;
  @Flag(true) DEPOSIT_CONSOLE_IMPORT!: boolean;

  @Port(3100) CONSOLE_PORT!: number;
  @Address('127.0.0.1') CONSOLE_HOST!: string;
  @Text('') CONSOLE_URL!: string;
  @Networks() CONSOLE_TRUSTED_PROXIES!: string;
  @Count(720, 12) CONSOLE_SESSION_HOURS!: number;
  @Count(1440, 60) CONSOLE_IDLE_MINUTES!: number;
  @OneOf(['none', 'money', 'all'], 'none, money or all', 'money')
  CONSOLE_REQUIRE_2FA!: 'none' | 'money' | 'all';
  @Text('1000.00') CONSOLE_CONFIRM_ABOVE!: string;
  @Text('') CONSOLE_APPROVAL_ABOVE!: string;
  @Text('Asia/Bangkok') CONSOLE_TIMEZONE!: string;
  @Text('') CONSOLE_OIDC_ISSUER!: string;
  @Text('') CONSOLE_OIDC_CLIENT_ID!: string;
  @Text('') CONSOLE_OIDC_CLIENT_SECRET!: string;
  @Text('') CONSOLE_OIDC_ROLES!: string;
  @Text('groups') CONSOLE_OIDC_ROLE_CLAIM!: string;
  @TextLike(/^(.+ )?openid( .+)?$/, 'scopes with blanks between them, openid among them', 'openid profile email')
  CONSOLE_OIDC_SCOPES!: string;
  @Flag(false) CONSOLE_OIDC_TRUST_EMAIL!: boolean;
  @TextLike(/^.{0,40}$/, 'a name of up to 40 characters', '') CONSOLE_OIDC_NAME!: string;

  @WholeNumber(0, Infinity, 'a whole number, 0 to turn the limit off', 1000) RATE_LIMIT_PER_SECOND!: number;

  @TextLike(/^(postgres(ql)?:\/\/.+)?$/, 'a postgres:// connection string, or empty', '')
  DATABASE_READ_URL!: string;
  @Milliseconds(5_000) DATABASE_READ_MAX_LAG_MS!: number;
  @Count(500, 20) DATABASE_POOL_SIZE!: number;
  @Flag(true) DATABASE_PREPARED_STATEMENTS!: boolean;

  @TextLike(/^[\x21-\x7e]{1,64}$/, '1 to 64 printable characters', '{topup}') QUEUE_PREFIX!: string;

  @OneOf(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`, 'info') LOG_LEVEL!: (typeof LOG_LEVELS)[number];
  @Flag(false) LOG_PRETTY!: boolean;
}
