import type { Agent, Dispatcher } from 'undici';
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
  /** 64 KiB by default. */
  maxAnswerBytes?: number;
  /** Parses the answer; JSON.parse by default. Returns undefined for anything but JSON. */
  parse?: (text: string) => unknown;
}

export interface HttpAnswer {
  status: number;
  /** The parsed body; undefined when it is not JSON. */
  body: unknown;
  retryAfter: string | undefined;
}

interface Client {
  agent: Agent;
  request: typeof import('undici').request;
}

/** The HTTP client of adapters. It follows no redirects and limits the size of answers. */
export class SupplierHttp {
  private client: Promise<Client> | undefined;

  /** @throws the reason why there is no answer: see {@link wasNeverSent} and {@link describeFailure}. */
  async call({ timeoutMs, url, method, headers, body, ...reading }: HttpCall): Promise<HttpAnswer> {
    const { maxAnswerBytes = MAX_ANSWER_BYTES, parse = parseJson } = reading;
    const { agent, request } = await (this.client ??= loadClient());
    const cutOff = new AbortController();
    const deadline = setTimeout(() => cutOff.abort(new DOMException('no answer', 'TimeoutError')), timeoutMs);
    try {
      const response = await request(url, {
        dispatcher: agent,
        method,
        signal: cutOff.signal,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const text = await readText(response.body, maxAnswerBytes, cutOff);
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        body: parse(text),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
    } finally {
      clearTimeout(deadline);
    }
  }

  async close(): Promise<void> {
    await (await this.client)?.agent.destroy();
  }
}

/** Loaded with the first call: loading takes a tenth of a second, and most commands call no supplier. */
async function loadClient(): Promise<Client> {
  const { buildConnector, createCallAgent, request } = await import('../core/call-agent.js');
  // A call's only deadline is its signal.
  const limits = { connections: 256, headersTimeout: 0, bodyTimeout: 0 };
  return { agent: createCallAgent(limits, buildConnector({})), request };
}

async function readText(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  cutOff: AbortController,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      cutOff.abort();
      throw new Error(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
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

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
const NOT_RESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Whether a call certainly failed before its first byte: the name did not resolve, or nothing accepted the connection. */
export function wasNeverSent(error: unknown): boolean {
  const { code = '', syscall, errors } = error as NetworkError;
  if (errors && errors.length > 0) return errors.every(wasNeverSent);
  return (syscall === 'connect' && NOT_CONNECTED.has(code)) || (syscall === 'getaddrinfo' && NOT_RESOLVED.has(code));
}

/** In a word, why there is no answer. */
export function describeFailure(error: unknown): string {
  const { name, code, message } = error as NetworkError;
  if (name === 'TimeoutError') return 'timeout';
  return code ?? message;
}
