import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A notification as it arrived: the very bytes, and when. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Monotonic milliseconds. */
  atMs: number;
}

/** A merchant's endpoints on a real socket, one for each path. Unless told otherwise they answer 204. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly statuses = new Map<string, number[]>();
  private server: Server | undefined;

  /** The answers of one path, one after the other; the last one is repeated. */
  answer(path: string, ...statuses: number[]): void {
    this.statuses.set(path, statuses);
  }

  url(path: string): string {
    return `http://127.0.0.1:${((this.server as Server).address() as AddressInfo).port}${path}`;
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async listen(): Promise<this> {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        const answers = this.statuses.get(path) ?? [204];
        response.writeHead(answers[Math.min(this.at(path).length, answers.length - 1)] ?? 204).end();
        const headers = request.headers as Record<string, string>;
        this.received.push({
          path,
          headers,
          body: Buffer.concat(chunks).toString(),
          atMs: performance.now(),
        });
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}
