import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Monotonic milliseconds. */
  atMs: number;
}

/** A status with headers and a body; or the connection is closed, or left open, without an answer. */
export type Answering = [status: number, headers?: Record<string, string>, body?: string] | 'reset' | 'silence';

/** Gives scripted answers, one per request, which a test cannot get from the service itself. */
export class ScriptedService {
  readonly asked: Asked[] = [];
  private answers: Answering[] = [];
  private readonly server: Server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    this.asked.push({ method, path, headers, atMs: performance.now() });
    const answer = this.answers.shift() ?? [200, {}, '{}'];
    if (answer === 'reset') request.socket.destroy();
    if (typeof answer === 'string') return;
    const [status, fields, body] = answer;
    response.writeHead(status, fields).end(body);
  });

  /** @param port any free port by default. */
  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  /** Sets the answers from now on; after the last one, every answer is 200. */
  answer(...answers: Answering[]): void {
    this.asked.length = 0;
    this.answers = answers;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
