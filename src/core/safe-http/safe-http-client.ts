import type { Agent } from 'undici';
import { createCallAgent } from '../call-agent.js';
import { exchange, type ExchangeLimits } from '../http-exchange.js';
import { AddressPolicy } from './address-policy.js';
import { createConnector } from './connector.js';
import { failureOf, type HttpFailure } from './http-failure.js';
import { resolveHost, type Resolve } from './resolve.js';

export interface SafeHttpOptions extends ExchangeLimits {
  /** Which addresses connections may reach. */
  policy: AddressPolicy;
  /** Resolves names; by default {@link resolveHost}. */
  resolve?: Resolve;
  /** Certificate authorities in PEM, instead of Node's own list. */
  ca?: string;
}

export interface HttpCall {
  method: 'GET' | 'POST';
  url: string;
  /** All headers except host, connection and content-length. */
  headers: Record<string, string>;
  body?: Buffer;
}

/** The answer, or the reason why there is none. A status line with headers is an answer, even if the body breaks off. */
export type HttpResult = ({ status: number; failure: null } | { status: null; failure: HttpFailure }) & {
  headers: Record<string, string | string[] | undefined>;
  /** The raw bytes, not decompressed, up to the limit. */
  body: Buffer;
  /** Whether the whole body arrived, within the limit and the deadline. */
  complete: boolean;
  /** From the start of the call to its end, including lookup and connection. */
  durationMs: number;
};

/**
 * The client closes idle connections after this time. It is shorter than the idle time of usual servers: if a server closed
 * the connection while a request is on its way, the request would be lost.
 */
const IDLE_CONNECTION_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * An HTTP client for URLs that merchants choose. It connects only to permitted addresses, follows no redirect, uses no proxy,
 * decompresses nothing, verifies TLS certificates, and ends every call at its deadline.
 */
export class SafeHttpClient {
  private readonly agent: Agent;

  constructor(private readonly options: SafeHttpOptions) {
    const { policy, resolve = resolveHost, ca } = options;
    const limits = {
      // Off, because the deadline of the call limits both, and undici's own timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    };
    this.agent = createCallAgent(limits, createConnector({ policy, resolve, ...(ca === undefined ? {} : { ca }) }));
  }

  /** Sends one request. Never rejects: failures are in the result. */
  async send(call: HttpCall): Promise<HttpResult> {
    const startedAtMs = performance.now();
    const { answer, body, error } = await exchange(this.agent, call, this.options);
    const outcome = answer ? { status: answer.status, failure: null } : { status: null, failure: failureOf(error) };
    return {
      ...outcome,
      headers: answer?.headers ?? {},
      body,
      complete: error === undefined,
      durationMs: performance.now() - startedAtMs,
    };
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
