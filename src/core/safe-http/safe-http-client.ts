import type { Agent, Dispatcher } from 'undici';
import { createCallAgent, type CallOptions } from '../call-agent.js';
import { AddressPolicy } from './address-policy.js';
import { createConnector } from './connector.js';
import { failureOf, type HttpFailure } from './http-failure.js';
import { resolveHost, type Resolve } from './resolve.js';

export interface SafeHttpOptions {
  /** Which addresses connections may reach. */
  policy: AddressPolicy;
  /** One deadline for name lookup, connection, TLS, the answer's header and body. */
  timeoutMs: number;
  /** The body of an answer is cut off after this many raw bytes. */
  maxBodyBytes: number;
  /** Resolves names; by default {@link resolveHost}. */
  resolve?: Resolve;
  /** Certificate authorities to use instead of the system's. */
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
  /** Whether the whole body came within limit and deadline. */
  complete: boolean;
  /** From the start of the call to its end, including lookup and connection. */
  durationMs: number;
};

/**
 * Idle connections are closed after this time. It is shorter than usual servers' own limits, because a request that crosses
 * with the server's closing is lost.
 */
const IDLE_CONNECTION_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * An HTTP client for addresses that merchants choose. It connects only to permitted ones, follows no redirect, uses no proxy,
 * decompresses nothing, verifies TLS, and ends every call at its deadline.
 */
export class SafeHttpClient {
  private readonly agent: Agent;

  constructor(private readonly options: SafeHttpOptions) {
    const { policy, resolve = resolveHost, ca } = options;
    const limits = {
      // Each call's deadline covers both. undici's own timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    };
    this.agent = createCallAgent(limits, createConnector({ policy, resolve, ...(ca === undefined ? {} : { ca }) }));
  }

  /** Sends one request. Never rejects: failures are in the result. */
  send({ method, url, headers, body }: HttpCall): Promise<HttpResult> {
    return new Promise((resolve) => {
      const call = new Call(this.options, resolve);
      try {
        const { origin, pathname, search } = new URL(url);
        const path = pathname + search;
        const request: CallOptions = {
          origin,
          path,
          method,
          headers,
          body: body ?? null,
          signal: call.signal,
        };
        this.agent.dispatch(request, call);
      } catch (error) {
        call.onResponseError(undefined, error);
      }
    });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** One request in flight: collects the answer and resolves once, at its end or at the deadline. */
class Call implements Dispatcher.DispatchHandler {
  private readonly startedAtMs = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private readonly chunks: Buffer[] = [];
  private readonly cutOff = new AbortController();
  private controller: Dispatcher.DispatchController | undefined;
  private received = 0;
  private answer: { status: number; headers: HttpResult['headers'] } | undefined;
  private ended = false;

  constructor(
    private readonly options: Pick<SafeHttpOptions, 'timeoutMs' | 'maxBodyBytes'>,
    private readonly resolve: (result: HttpResult) => void,
  ) {
    this.deadline = setTimeout(() => this.end('timeout'), options.timeoutMs);
  }

  /** Aborted when the call ends before its exchange. */
  get signal(): AbortSignal {
    return this.cutOff.signal;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The deadline passed during the connection: the request must not go out after its result is known.
    if (this.ended) controller.abort(new Error('the call is over'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HttpResult['headers']): void {
    if (status >= 200) this.answer = { status, headers };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.received > this.options.maxBodyBytes) this.end('protocol');
  }

  onResponseEnd(): void {
    this.end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.end(failureOf(error));
  }

  /** @param cause why the exchange ended early; null for its regular end. */
  private end(cause: HttpFailure | null): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.deadline);
    if (cause !== null) {
      this.cutOff.abort();
      this.controller?.abort(new Error('the call is over'));
    }
    const outcome = this.answer
      ? { status: this.answer.status, failure: null }
      : { status: null, failure: cause ?? 'protocol' };
    this.resolve({
      ...outcome,
      headers: this.answer?.headers ?? {},
      body: Buffer.concat(this.chunks).subarray(0, this.options.maxBodyBytes),
      complete: cause === null,
      durationMs: performance.now() - this.startedAtMs,
    });
  }
}
