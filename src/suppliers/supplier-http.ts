import type { Agent, Dispatcher } from 'undici';

const MAX_ANSWER_BYTES = 64 * 1024;

export interface HttpCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** One deadline over the whole call. */
  timeoutMs: number;
}

/** An answer, as far as it could be read. */
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

/** How adapters speak HTTP with their suppliers: redirects are not followed, answers may have 64 KiB. */
export class SupplierHttp {
  private client: Promise<Client> | undefined;

  /** @throws what kept an answer away: see {@link wasNeverSent} and {@link describeFailure}. */
  async call({ timeoutMs, url, method, headers, body }: HttpCall): Promise<HttpAnswer> {
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
      const text = await readText(response.body, cutOff);
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        body: parseJson(text),
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

/** Loaded with the first call: it takes a tenth of a second, and most commands call no supplier. */
async function loadClient(): Promise<Client> {
  const { buildConnector, createCallAgent, request } = await import('../core/call-agent.js');
  // The one deadline of a call is its signal.
  const limits = { connections: 256, headersTimeout: 0, bodyTimeout: 0 };
  return { agent: createCallAgent(limits, buildConnector({})), request };
}

async function readText(body: Dispatcher.ResponseData['body'], cutOff: AbortController): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      cutOff.abort();
      throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
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

interface NetworkError extends Error {
  code?: string;
  syscall?: string;
  errors?: NetworkError[];
}

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
const NOT_RESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Whether a call certainly failed before its first byte went out: no name, or no connection. */
export function wasNeverSent(error: unknown): boolean {
  const { code = '', syscall, errors } = error as NetworkError;
  if (errors && errors.length > 0) return errors.every(wasNeverSent);
  return (
    (syscall === 'connect' && NOT_CONNECTED.has(code)) ||
    (syscall === 'getaddrinfo' && NOT_RESOLVED.has(code))
  );
}

/** A word for what kept an answer away. */
export function describeFailure(error: unknown): string {
  const { name, code, message } = error as NetworkError;
  if (name === 'TimeoutError') return 'timeout';
  return code ?? message;
}
