import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS } from './keep-alive.js';

/** One request that the supplier received. */
export interface SupplierRequest {
  kind: 'send' | 'inquiry';
  reference: string;
  body: {
    reference: string;
    sku: string;
    user_id: string;
    server_id: string | null;
    character_id: string | null;
  } | null;
  authorization: string | undefined;
  /** The time of its arrival, in monotonic milliseconds. */
  atMs: number;
}

/** The answer to a request: a status with a body, or a failure. */
export type Answer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | 'drop' // closes the connection without an answer
  | 'hang'; // never answers

export type Script = (request: SupplierRequest, earlier: SupplierRequest[]) => Answer | Promise<Answer>;

export const bought = (reference: string): Answer => ({
  status: 200,
  body: { reference, status: 'succeeded', supplier_reference: `S-${reference}` },
});

export const refused = (reference: string, failure_code: string, failure_message?: string): Answer => ({
  status: 200,
  body: { reference, status: 'failed', failure_code, failure_message },
});

/** Says nothing about the request, and asks for ten minutes before the next one. So a unit waits in doubt until the test goes on. */
export const askLater: Answer = { status: 503, headers: { 'retry-after': '600' } };

export const neverSeen: Answer = { status: 404, body: { code: 'NOT_FOUND', message: 'unknown reference' } };

/** A supplier on a real socket whose answers a test scripts. Without a script it sells everything at once. */
export class FakeSupplier {
  readonly requests: SupplierRequest[] = [];
  /** Our balance there. */
  balance: Answer | ((authorization: string | undefined) => Answer | Promise<Answer>) = {
    status: 200,
    body: { balance: '123456.00', currency: 'THB' },
  };
  /** The answer to a request for its list of purchases, with the query of the request. By default it has no list. */
  purchases: (query: URLSearchParams) => Answer = () => ({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  private readonly scripts = new Map<string, Script>();
  private readonly users = new Map<string, string>();
  private server: Server | undefined;

  /** Scripts the answers about units of this player, or of the order with this number if no send named its player. */
  script(userIdOrOrderNumber: string, script: Script): void {
    this.scripts.set(userIdOrOrderNumber, script);
  }

  /** The requests about one order, or about everything. */
  about(orderNumber: string): SupplierRequest[] {
    return this.requests.filter(({ reference }) => reference.startsWith(`${orderNumber}.`));
  }

  get url(): string {
    return `http://127.0.0.1:${((this.server as Server).address() as AddressInfo).port}`;
  }

  async listen(): Promise<this> {
    this.server = createServer(
      { keepAliveTimeout: KEEP_ALIVE_MS },
      (request, response) => void this.handle(request, response),
    );
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/balance') {
      const { balance } = this;
      const answer = typeof balance === 'function' ? await balance(request.headers.authorization) : balance;
      return reply(request, response, answer);
    }
    const [path, query] = (request.url ?? '').split('?');
    if (request.method === 'GET' && path === '/v1/top-ups')
      return reply(request, response, this.purchases(new URLSearchParams(query)));
    const body = await readJson(request);
    const reference = body?.reference ?? decodeURIComponent((request.url ?? '').split('/').at(-1) ?? '');
    if (body) this.users.set(reference, body.user_id);
    const kind = request.method === 'POST' ? 'send' : 'inquiry';
    const { authorization } = request.headers;
    const seen: SupplierRequest = { kind, reference, body, authorization, atMs: performance.now() };
    const earlier = this.requests.filter((each) => each.reference === reference);
    this.requests.push(seen);
    const script = this.scripts.get(this.users.get(reference) ?? reference.split('.')[0] ?? '');
    const answer = script ? await script(seen, earlier) : bought(reference);
    reply(request, response, answer);
  }
}

function reply(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (answer === 'drop') {
    request.socket.destroy();
  } else if (answer !== 'hang') {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  }
}

async function readJson(request: IncomingMessage): Promise<SupplierRequest['body']> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as SupplierRequest['body']) : null;
}
