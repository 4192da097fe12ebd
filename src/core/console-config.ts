import { readCompanySignIn, type CompanySignInConfig } from './company-sign-in-config.js';
import { HOUR_MS } from './durations.js';
import type { Environment } from './environment.js';
import { isLoopback } from './urls.js';
import { isTimezone } from './moments.js';
import { parseBaht, type Satang } from './money.js';
import { readTrustedProxies, type TrustedProxies } from './networks.js';

/** Settings of the operators' console. */
export interface ConsoleConfig {
  readonly port: number;
  readonly host: string;
  /** The public origin, such as `https://console.example.com`. */
  readonly url: string;
  /** Whether browsers reach the console by https. Then its cookies are marked as secure. */
  readonly isHttps: boolean;
  readonly trustedProxies: TrustedProxies;
  /** The maximum length of a session. `idleMs` is the maximum time between its requests. */
  readonly sessionMs: number;
  readonly idleMs: number;
  readonly requireSecondFactor: 'none' | 'money' | 'all';
  /** To settle units whose prices add up to more, an operator must have confirmed the session shortly before. */
  readonly confirmAbove: Satang;
  /** Movements above this amount, or in another currency than THB, need approval. Null if no movement needs it. */
  readonly approvalAbove: Satang | null;
  /** The time zone of operators who have not chosen a time zone. */
  readonly timezone: string;
  /** Null if operators sign in with passwords only. */
  readonly company: CompanySignInConfig | null;
}

export type ConsoleVariable = Extract<keyof Environment, `CONSOLE_${string}`>;

/** @returns the console's settings, and the rest of the environment. */
export function readConsoleConfig(
  environment: Environment,
  problems: string[],
  isConsole: boolean,
): [ConsoleConfig, Omit<Environment, ConsoleVariable>] {
  const {
    CONSOLE_PORT: port,
    CONSOLE_HOST: host,
    CONSOLE_URL: url,
    CONSOLE_TRUSTED_PROXIES: proxies,
    CONSOLE_SESSION_HOURS: hours,
    CONSOLE_IDLE_MINUTES: minutes,
    CONSOLE_REQUIRE_2FA: requireSecondFactor,
    CONSOLE_CONFIRM_ABOVE: limit,
    CONSOLE_APPROVAL_ABOVE: approvalLimit,
    CONSOLE_TIMEZONE: timezone,
    ...rest
  } = environment;
  const origin = readOrigin(url || `http://127.0.0.1:${port}`, environment.NODE_ENV, problems);
  const confirmAbove = parseBaht(limit ?? '');
  if (confirmAbove === null) problems.push('CONSOLE_CONFIRM_ABOVE must be an amount in baht such as 1000.00');
  const approvalAbove = approvalLimit ? parseBaht(approvalLimit) : null;
  if (approvalLimit && approvalAbove === null)
    problems.push('CONSOLE_APPROVAL_ABOVE must be an amount in baht such as 50000.00, or empty');
  if (!isTimezone(timezone ?? ''))
    problems.push('CONSOLE_TIMEZONE must be the name of a time zone such as Asia/Bangkok');
  const [company, others] = readCompanySignIn(rest, problems, isConsole);
  const consoleConfig: ConsoleConfig = {
    port,
    host,
    url: origin,
    isHttps: origin.startsWith('https:'),
    trustedProxies: readTrustedProxies('CONSOLE_TRUSTED_PROXIES', proxies, problems),
    sessionMs: hours * HOUR_MS,
    idleMs: minutes * 60_000,
    requireSecondFactor,
    confirmAbove: confirmAbove ?? 0n,
    approvalAbove,
    timezone,
    company,
  };
  return [consoleConfig, others];
}

function readOrigin(text: string, mode: Environment['NODE_ENV'], problems: string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, '').toLowerCase()) {
    problems.push('CONSOLE_URL must be an http or https origin such as https://console.example.com');
    return text;
  }
  if (mode === 'production' && url.protocol === 'http:' && !isLoopback(url))
    problems.push('CONSOLE_URL must begin with https:// in production, except on this machine itself');
  return url.origin;
}
