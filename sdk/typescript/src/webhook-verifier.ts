import { TopupError } from './errors.js';
import { importKey, isSame, sign, type SigningKey } from './signature.js';
import type { EventKind, EventOf, TopupEvent } from './types.js';

/** The reason for which a delivery was refused. Always answer 400. */
export type VerificationFailure =
  'missing_header' | 'bad_timestamp' | 'too_old' | 'too_new' | 'no_matching_signature' | 'bad_body';

/** The delivery is not, or not provably, from the service. */
export class WebhookVerificationError extends TopupError {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: VerificationFailure,
    message: string,
  ) {
    super(message);
  }
}

/** The headers of a request: `Headers`, or an object such as `request.headers` of Node. */
export type IncomingHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The received body, before any parsing. */
export type RawBody = string | Uint8Array | ArrayBuffer;

const TOLERANCE_SECONDS = 300;

/** Verifies deliveries by Standard Webhooks 1.0. */
export class WebhookVerifier {
  private readonly secrets: readonly string[];
  private keys: Promise<SigningKey[]> | undefined;

  /**
   * @param secrets the secret of the webhook; while you replace it, the old and the new one.
   */
  constructor(
    secrets: string | readonly string[],
    private readonly options: { toleranceSeconds?: number; now?: () => number } = {},
  ) {
    this.secrets = typeof secrets === 'string' ? [secrets] : [...secrets];
    if (this.secrets.length === 0 || this.secrets.some((secret) => typeof secret !== 'string' || secret === ''))
      throw new TypeError('a webhook secret is required');
  }

  /**
   * @param body the exact bytes: JSON that was parsed and written again has other bytes.
   * @returns the event. The service sends only kinds that you subscribed to. Ignore kinds that you don't know.
   * @throws WebhookVerificationError, and never another error
   */
  async verify(body: RawBody, headers: IncomingHeaders): Promise<TopupEvent> {
    const id = headerOf(headers, 'webhook-id');
    const timestamp = headerOf(headers, 'webhook-timestamp');
    const signatures = headerOf(headers, 'webhook-signature');
    this.checkTime(timestamp);
    const bytes = bytesOf(body);
    this.keys ??= Promise.all(this.secrets.map(importKey));
    const expected = await Promise.all((await this.keys).map((key) => sign(key, id, timestamp, bytes)));
    const given = signatures.split(' ');
    if (!expected.some((own) => given.some((each) => isSame(own, each))))
      throw new WebhookVerificationError('no_matching_signature', 'No signature fits the body and the secret');
    return parse(bytes);
  }

  private checkTime(timestamp: string): void {
    if (!/^\d{1,12}$/.test(timestamp))
      throw new WebhookVerificationError('bad_timestamp', 'webhook-timestamp is no time in Unix seconds');
    const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = this.options;
    const age = now() / 1000 - Number(timestamp);
    if (age > toleranceSeconds) throw new WebhookVerificationError('too_old', 'webhook-timestamp is too long ago');
    if (age < -toleranceSeconds)
      throw new WebhookVerificationError('too_new', 'webhook-timestamp is in the future: check the clock');
  }
}

/** Whether the event is of this kind, which also narrows the type of `data`. */
export const isEvent = <Kind extends EventKind>(event: TopupEvent, kind: Kind): event is EventOf<Kind> =>
  event.event === kind;

function headerOf(headers: IncomingHeaders, name: string): string {
  const value = valueOf(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('missing_header', `${name} is missing`);
}

function valueOf(headers: IncomingHeaders | null | undefined, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (typeof headers.get === 'function') return (headers as { get(name: string): unknown }).get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  // `instanceof` would fail for bytes of another realm.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new WebhookVerificationError('bad_body', 'The body must be given as it arrived, as text or bytes');
}

function parse(bytes: Uint8Array): TopupEvent {
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes)) as TopupEvent | null;
    if (typeof event === 'object' && event !== null && typeof event.event === 'string') return event;
  } catch {
    // Treated like JSON that is no event.
  }
  throw new WebhookVerificationError('bad_body', 'The body is no event');
}
