import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS } from './keep-alive.js';
import { eventually } from './eventually.js';
import { problemOfDelivery } from './openapi-check.js';

/** A received notification: its bytes, and the time of its arrival. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Monotonic milliseconds. */
  atMs: number;
}

export type Receives = 'events' | 'forwarded events' | 'made-up events' | 'callbacks of a vendor';

/**
 * A merchant's endpoints on a real socket, one for each path. By default they answer 204. Requests are compared with
 * openapi.json: `at` and `close` throw for a wrong one.
 */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly statuses = new Map<string, number[]>();
  private server: Server | undefined;
  private readonly problems: string[] = [];

  /** @param what the kind of requests: a vendor's callbacks, and requests that a test made up, are not compared with the document. */
  constructor(private readonly what: Receives = 'events') {}

  /** Sets the answers of one path, one after the other; the last one is repeated. */
  answer(path: string, ...statuses: number[]): void {
    this.statuses.set(path, statuses);
  }

  url(path: string): string {
    return `http://127.0.0.1:${((this.server as Server).address() as AddressInfo).port}${path}`;
  }

  at(path: string): Received[] {
    this.throwProblems();
    return this.received.filter((each) => each.path === path);
  }

  /** Waits for so many requests at a path. @returns all of them. */
  arrived(path: string, count = 1): Promise<Received[]> {
    return eventually(
      () => this.at(path),
      (all) => all.length >= count,
    );
  }

  async listen(): Promise<this> {
    this.server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        const answers = this.statuses.get(path) ?? [204];
        const before = this.received.filter((each) => each.path === path).length;
        response.writeHead(answers[Math.min(before, answers.length - 1)] ?? 204).end();
        const headers = request.headers as Record<string, string>;
        const body = Buffer.concat(chunks).toString();
        this.received.push({ path, headers, body, atMs: performance.now() });
        const problem = this.what === 'events' ? problemOfDelivery(headers, body) : null;
        if (problem !== null) this.problems.push(problem);
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
    this.throwProblems();
  }

  private throwProblems(): void {
    if (this.problems.length > 0) throw new Error(this.problems.join('\n'));
  }
}
