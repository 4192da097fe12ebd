import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS } from './keep-alive.js';

/** A received query about a player. */
export interface PlayerQuestion {
  path: string | undefined;
  headers: IncomingMessage['headers'];
  body: { game: string; user_id: string; server_id?: string };
}

/** The answer to a query: a status with a body, or none. */
export type ValidatorAnswer =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | 'hang'
  | 'drop'
  | Promise<{ status: number; body: unknown }>;

export const known = (name: string): ValidatorAnswer => ({
  status: 200,
  body: { valid: 'valid', name, openid: '41581795132966184' },
});

/** G2Bulk's check of players on a real socket: only accounts that a test added are players. */
export class FakeValidator {
  readonly questions: PlayerQuestion[] = [];
  private readonly answers = new Map<string, ValidatorAnswer>();
  private server: Server | undefined;

  introduce(userId: string, answer: ValidatorAnswer): void {
    this.answers.set(userId, answer);
  }

  about(userId: string): PlayerQuestion[] {
    return this.questions.filter(({ body }) => body.user_id === userId);
  }

  get url(): string {
    return `http://127.0.0.1:${((this.server as Server).address() as AddressInfo).port}/v1`;
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
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as PlayerQuestion['body'];
    this.questions.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    const answer = await (this.answers.get(body.user_id) ?? { status: 200, body: { valid: 'invalid' } });
    if (answer === 'hang') return;
    if (answer === 'drop') return void request.socket.destroy();
    const headers = 'headers' in answer ? answer.headers : {};
    response.writeHead(answer.status, { 'content-type': 'application/json', ...headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  }
}
