import { parseArgs } from 'node:util';
import type { EventKind } from '../types.js';

const KINDS: Record<EventKind, true> = {
  'order.completed': true,
  'order.failed': true,
  'wallet.low_balance': true,
  'deposit.paid': true,
  'deposit.expired': true,
  'webhook.test': true,
};

export const USAGE: string = `Usage: order-topup-sdk listen --forward-to URL [options]

Forwards your events to a URL on this machine, signed like webhooks, and continues after the last run.

  --forward-to URL     such as http://localhost:3000/hook
  --events A,B         forwards only these: ${Object.keys(KINDS).join(', ')}
  --base-url URL       address of the service; or TOPUP_URL (default http://127.0.0.1:3000)
  --api-key KEY        your key; or TOPUP_API_KEY, which other users of this machine cannot see
  --secret SECRET      signs with this secret; by default one is generated, stored and printed
  --after ID           begins after this event
  --from-start         begins with the oldest event that the service still has; by default a first run skips past events
  --help`;

export interface Settings {
  baseUrl: string;
  apiKey: string;
  forwardTo: string;
  /** Null for all events. */
  events: ReadonlySet<string> | null;
  /** Null to generate one. */
  secret: string | null;
  /** The event to begin after, instead of the last one of the previous run. */
  begin: { after: string | null } | null;
}

/** The arguments are wrong; the message says why. */
export class UsageError extends Error {}

const OPTIONS = {
  'forward-to': { type: 'string' },
  events: { type: 'string' },
  'base-url': { type: 'string' },
  'api-key': { type: 'string' },
  secret: { type: 'string' },
  after: { type: 'string' },
  'from-start': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns null for `--help`. @throws UsageError */
export function readArguments(args: readonly string[], env: Environment): Settings | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [command, ...others] = positionals;
  if (command !== 'listen' || others.length > 0) throw new UsageError('The only command is: listen');
  const apiKey = values['api-key'] ?? env.TOPUP_API_KEY;
  if (!apiKey) throw new UsageError('--api-key or TOPUP_API_KEY is required');
  if (values.after !== undefined && values['from-start'])
    throw new UsageError('--after and --from-start exclude each other');
  if (values.secret === '') throw new UsageError('--secret must not be empty');
  return {
    baseUrl: urlOf('--base-url', values['base-url'] ?? env.TOPUP_URL ?? 'http://127.0.0.1:3000'),
    apiKey,
    forwardTo: urlOf('--forward-to', values['forward-to']),
    events: values.events === undefined ? null : kindsOf(values.events),
    secret: values.secret ?? null,
    begin: values['from-start'] ? { after: null } : values.after === undefined ? null : { after: values.after },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function urlOf(option: string, text: string | undefined): string {
  if (text === undefined) throw new UsageError(`${option} is required`);
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError(`${option} must be a URL such as http://localhost:3000/hook`);
  return text;
}

function kindsOf(text: string): ReadonlySet<string> {
  const kinds = text.split(',').map((kind) => kind.trim());
  const unknown = kinds.find((kind) => !Object.hasOwn(KINDS, kind));
  if (unknown === undefined) return new Set(kinds);
  throw new UsageError(`There is no event "${unknown}": there are ${Object.keys(KINDS).join(', ')}`);
}
