import type { Agent } from 'undici';
import { exchange } from '../core/http-exchange.js';
import { retryAfterMs } from '../core/retry-after.js';

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_MS = 600_000;

export interface HttpCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The deadline of the whole call. */
  timeoutMs: number;
  /** The maximum size of the answer; 64 KiB by default. */
  maxAnswerBytes?: number;
  /** Parses the answer; {@link parseJson} by default. */
  parse?: (text: string) => unknown;
}

export interface HttpAnswer {
  status: number;
  /** The parsed body. {@link parseJson} makes it undefined if it is not JSON. */
  body: unknown;
  retryAfter: string | undefined;
}

/**
 * The HTTP client of all adapters: of suppliers, channels, slip services and player validators. It follows no redirects
 * and limits the size of answers.
 */
export class AdapterHttp {
  private agent: Promise<Agent> | undefined;

  /** @throws the reason why there is no answer: see {@link wasNeverSent} and {@link describeFailure}. */
  async call({
    maxAnswerBytes = MAX_ANSWER_BYTES,
    parse = parseJson,
    timeoutMs,
    ...request
  }: HttpCall): Promise<HttpAnswer> {
    const agent = await (this.agent ??= createAgent());
    const { answer, body, error } = await exchange(agent, request, { timeoutMs, maxBodyBytes: maxAnswerBytes });
    if (error) throw error;
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.status,
      body: parse(body.toString('utf8')),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  }

  async close(): Promise<void> {
    await (await this.agent)?.destroy();
  }
}

/** Loads undici with the first call: loading takes a tenth of a second, and most commands make no call. */
async function createAgent(): Promise<Agent> {
  const { buildConnector, createCallAgent } = await import('../core/call-agent.js');
  // Without undici's timeouts for header and body, because each call has its own deadline.
  return createCallAgent({ headersTimeout: 0, bodyTimeout: 0 }, buildConnector({}));
}

/** Undefined for anything but JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The wait that an answer's `Retry-After` requests, in seconds or as a date: at most 10 minutes (contract, section 8). */
export function requestedWait({ retryAfter }: HttpAnswer): { retryAfterMs?: number } {
  const waitMs = retryAfterMs(retryAfter, Date.now(), MAX_RETRY_AFTER_MS);
  return waitMs === null ? {} : { retryAfterMs: waitMs };
}

interface NetworkError extends Error {
  code?: string;
  syscall?: string;
  errors?: NetworkError[];
}

/** This machine has no port or descriptor left for another connection. */
const NONE_LEFT = ['EADDRNOTAVAIL', 'EMFILE', 'ENFILE'];
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', ...NONE_LEFT]);
const NOT_RESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Whether a call certainly failed before its first byte: the name did not resolve, or there was no connection. */
export function wasNeverSent(error: unknown): boolean {
  const { code = '', syscall, errors } = error as NetworkError;
  if (errors && errors.length > 0) return errors.every(wasNeverSent);
  return (syscall === 'connect' && NOT_CONNECTED.has(code)) || (syscall === 'getaddrinfo' && NOT_RESOLVED.has(code));
}

/** Why there is no answer: a word, a code or the error's message. */
export function describeFailure(error: unknown): string {
  const { name, code, message } = error as NetworkError;
  if (name === 'TimeoutError') return 'timeout';
  return code ?? message;
}
