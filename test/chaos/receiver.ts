import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Random } from './random.js';

/** One received delivery attempt. */
export interface Arrival {
  endpoint: string;
  eventId: string;
  body: string;
  /** Null when the signature is valid. */
  signatureProblem: string | null;
  answered: number | 'reset';
  /** The time of its arrival, in monotonic milliseconds. */
  atMs: number;
}

/** From this attempt on, an endpoint accepts deliveries, so that every delivery can succeed within its retries. */
const ALWAYS_WELL_FROM = 3;

/** The merchants' webhook receivers. The seed decides whether they accept, answer slowly, with an error, or never. */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  private readonly secrets = new Map<string, string>();
  private readonly attempts = new Map<string, number>();
  private readonly server: Server;

  /** @param random null for receivers that always answer well. @param host the address that they listen on. */
  constructor(
    private readonly random: Random | null,
    private readonly host = '127.0.0.1',
  ) {
    this.server = createServer((request, response) => {
      this.take(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, this.host, resolve));
  }

  urlOf(endpoint: string): string {
    return `http://${this.host}:${(this.server.address() as AddressInfo).port}/${endpoint}`;
  }

  /** The endpoint's secrets. */
  trust(endpoint: string, secret: string): void {
    this.secrets.set(endpoint, secret);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const endpoint = (request.url ?? '').slice(1);
    const arrival: Arrival = {
      endpoint,
      eventId: String(request.headers['webhook-id']),
      body,
      signatureProblem: this.signatureProblem(endpoint, request, body),
      answered: 'reset',
      atMs: performance.now(),
    };
    this.arrivals.push(arrival);
    const { status, afterMs } = this.decide(endpoint, body);
    if (status === null) return void request.socket.resetAndDestroy();
    if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
    // A sender that has ended did not get the answer.
    if (response.destroyed || request.socket.destroyed) return;
    arrival.answered = status;
    response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end();
  }

  private signatureProblem(endpoint: string, { headers }: IncomingMessage, body: string): string | null {
    try {
      new Webhook(this.secrets.get(endpoint) ?? '').verify(body, headers as Record<string, string>);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private decide(endpoint: string, body: string): { status: number | null; afterMs: number } {
    const { data } = JSON.parse(body) as { data: { reference_id: string } };
    const about = `${endpoint} ${data.reference_id}`;
    const attempt = (this.attempts.get(about) ?? 0) + 1;
    this.attempts.set(about, attempt);
    if (this.random === null || attempt >= ALWAYS_WELL_FROM) return { status: 204, afterMs: 0 };
    const random = this.random.fork(`${about} ${attempt}`);
    return random.weighted([
      [60, { status: 200, afterMs: 0 }],
      [20, { status: 200, afterMs: random.int(200, 3_000) }],
      [8, { status: 500, afterMs: 0 }],
      [4, { status: 503, afterMs: 0 }],
      [8, { status: null, afterMs: 0 }],
    ]);
  }
}
