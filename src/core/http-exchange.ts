import type { Agent, Dispatcher } from 'undici';
import type { CallOptions } from './call-agent.js';

/** A request to an absolute URL. */
type ExchangeRequest = Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'> & { url: string };

export interface ExchangeLimits {
  /** One deadline for name lookup, connection, TLS, the answer's header and body. */
  timeoutMs: number;
  /** The body of an answer is cut off after this many raw bytes. */
  maxBodyBytes: number;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * The result of an exchange. `answer` is undefined if no complete status line and header arrived. `body` has the raw bytes, not
 * decompressed, up to the limit. `error` is the reason if the exchange ended early.
 */
export type Exchange =
  { answer: Answer; body: Buffer; error?: undefined } | { answer: Answer | undefined; body: Buffer; error: Error };

class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer is larger than ${maxBytes} bytes`);
  }
}

/**
 * Sends one request and collects the answer. Never rejects. Uses no stream for the body, because a stream would cost as much
 * time as the rest of the call.
 */
export function exchange(agent: Agent, request: ExchangeRequest, limits: ExchangeLimits): Promise<Exchange> {
  return new Promise((resolve) => {
    const call = new Call(limits, resolve);
    try {
      const { origin, pathname, search } = new URL(request.url);
      const { method, headers, body } = request;
      const options: CallOptions = { origin, path: pathname + search, method, headers, body, signal: call.signal };
      agent.dispatch(options, call);
    } catch (error) {
      call.onResponseError(undefined, error);
    }
  });
}

/** One request in flight: resolves once, at its end or at the deadline. */
class Call implements Dispatcher.DispatchHandler {
  private readonly deadline: NodeJS.Timeout;
  private readonly chunks: Buffer[] = [];
  private readonly cutOff = new AbortController();
  private controller: Dispatcher.DispatchController | undefined;
  private received = 0;
  private answer: Answer | undefined;
  private ended = false;

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly resolve: (result: Exchange) => void,
  ) {
    this.deadline = setTimeout(() => this.cut(new DOMException('no answer', 'TimeoutError')), limits.timeoutMs);
  }

  /** Aborted when the call ends early, such as at its deadline. */
  get signal(): AbortSignal {
    return this.cutOff.signal;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The deadline passed during the connection: the request must not go out after its result is known.
    if (this.ended) controller.abort(new Error('the call is over'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    if (status >= 200) this.answer = { status, headers };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.received > this.limits.maxBodyBytes) this.cut(new AnswerTooLarge(this.limits.maxBodyBytes));
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.cut(error as Error);
  }

  private cut(error: Error): void {
    if (!this.end(error)) return;
    this.cutOff.abort();
    this.controller?.abort(new Error('the call is over'));
  }

  /** Ends the call. @returns false if it had already ended. */
  private end(error?: Error): boolean {
    if (this.ended) return false;
    this.ended = true;
    clearTimeout(this.deadline);
    const { answer } = this;
    const body = Buffer.concat(this.chunks).subarray(0, this.limits.maxBodyBytes);
    if (answer && !error) this.resolve({ answer, body });
    else this.resolve({ answer, body, error: error ?? new Error('no answer') });
    return true;
  }
}
