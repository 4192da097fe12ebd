import { backoffMs, reasonOf, retryAfterMs, sleep } from './backoff.js';
import { ConnectionError, TopupError, toApiError, type ApiError } from './errors.js';

export interface TopupOptions {
  /** The key that the operator issued. */
  apiKey: string;
  /** The address of the service, such as `https://topup.example`. */
  baseUrl: string;
  /** Milliseconds for one attempt, its body included; 30,000 by default. */
  timeoutMs?: number;
  /** The most retries of a request; 3 by default. */
  maxRetries?: number;
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: typeof fetch;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, even while it waits. The call then throws the signal's reason. */
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query;
  body?: unknown;
  /** Whether the request may be repeated safely. Otherwise it is retried only if it certainly had no effect. */
  isRepeatable: boolean;
}

interface Answer {
  status: number;
  text: string;
  retryAfterMs: number | null;
}

/** A call fails instead of waiting longer than this for `Retry-After`. */
const MAX_WAIT_MS = 60_000;
const VERSION = '1.0.0';

/** Sends requests with the key, and retries them where that is safe and may help. */
export class Transport {
  private readonly options: Required<TopupOptions>;

  constructor({ apiKey, baseUrl, ...options }: TopupOptions) {
    if (!apiKey) throw new TypeError('apiKey is required');
    if (!/^https?:\/\//.test(baseUrl)) throw new TypeError('baseUrl must begin with http:// or https://');
    const { timeoutMs = 30_000, maxRetries = 3 } = options;
    const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
    this.options = { apiKey, baseUrl: baseUrl.replace(/\/+$/, ''), timeoutMs, maxRetries, fetch: send };
  }

  get<Body>(path: string, query: Query, options: CallOptions = {}): Promise<Body> {
    return this.send({ method: 'GET', path, query, isRepeatable: true }, options);
  }

  /** @throws ApiError, ConnectionError, or the reason of `options.signal` */
  async send<Body>(request: Request, options: CallOptions = {}): Promise<Body> {
    const requestId = crypto.randomUUID();
    const { maxRetries = this.options.maxRetries } = options;
    for (let retry = 0; ; retry++) {
      const outcome = await this.attempt(request, requestId, options);
      if (!(outcome instanceof TopupError) && outcome.status >= 200 && outcome.status < 300)
        return readJson<Body>(outcome, requestId);
      const error = outcome instanceof TopupError ? outcome : toApiError(outcome.status, outcome.text, requestId);
      const waitMs = retry < maxRetries ? waitBefore(retry, request, outcome, error) : null;
      if (waitMs === null) throw error;
      await sleep(waitMs, options.signal);
    }
  }

  private async attempt(request: Request, requestId: string, options: CallOptions): Promise<Answer | TopupError> {
    const { signal, timeoutMs = this.options.timeoutMs } = options;
    if (signal?.aborted) throw reasonOf(signal);
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.options.fetch(this.urlOf(request), {
        method: request.method,
        headers: this.headersOf(request, requestId),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        // A redirect must not carry the key to another host.
        redirect: 'manual',
      });
      const text = await response.text();
      return {
        status: response.status,
        text,
        retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
      };
    } catch (cause) {
      if (signal?.aborted) throw reasonOf(signal);
      const what = timeout.aborted ? `No answer within ${timeoutMs} ms` : 'The service could not be reached';
      return new ConnectionError(`${what} (${request.method} ${this.options.baseUrl}${request.path})`, requestId, {
        cause,
      });
    }
  }

  private urlOf({ path, query = {} }: Request): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) parameters.set(name, String(value));
    }
    const text = parameters.toString();
    return `${this.options.baseUrl}${path}${text === '' ? '' : `?${text}`}`;
  }

  private headersOf({ body }: Request, requestId: string): Record<string, string> {
    return {
      'x-api-key': this.options.apiKey,
      'x-request-id': requestId,
      accept: 'application/json',
      'user-agent': `order-topup-sdk/${VERSION}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
  }
}

/** @returns milliseconds, or null for no retry. */
function waitBefore(
  retry: number,
  { isRepeatable }: Request,
  outcome: Answer | TopupError,
  error: TopupError,
): number | null {
  if (outcome instanceof TopupError) return isRepeatable ? backoffMs(retry) : null;
  if (!isForNow(outcome.status, error as ApiError, isRepeatable)) return null;
  const waitMs = Math.max(backoffMs(retry), outcome.retryAfterMs ?? 0);
  return waitMs > MAX_WAIT_MS ? null : waitMs;
}

/** Reasons of a 503 that stay for longer than a client waits. */
const LASTING = ['INSUFFICIENT_BALANCE', 'NO_CHANNEL', 'NO_FREE_AMOUNT'] as const;

/** Whether the request may be repeated, and may soon get another answer. */
function isForNow(status: number, error: ApiError, isRepeatable: boolean): boolean {
  // A request that was refused as one too many certainly had no effect.
  if (status === 429) return true;
  const isPassing = !LASTING.some((code) => error.has(code));
  return isRepeatable && [408, 500, 502, 503, 504].includes(status) && isPassing;
}

function readJson<Body>({ status, text }: Answer, requestId: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw toApiError(status, text, requestId);
  }
}
