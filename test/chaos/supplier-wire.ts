import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The fault of the connection for a request: `delayed` delays the answer; `reset` ends the connection before the supplier gets
 * the request, `dropped` after the supplier has answered; `late` passes the request on long after the caller has given up;
 * `half-open` accepts it and never passes it on; `refused` answers every other purchase with a refusal of which the supplier
 * does not know, and delays the other answers as long.
 */
export type WireFault = 'delayed' | 'reset' | 'dropped' | 'late' | 'half-open' | 'refused';

const DELAY_MS = 1_200;
/** Longer than the first two inquiries, which report "never seen". So the unit may be sent again meanwhile. */
const LATE_MS = 8_000;

const REFUSAL_BODY = JSON.stringify({ failure_code: 'OUT_OF_STOCK', failure_message: 'says the wire' });
const REFUSAL = [
  'HTTP/1.1 422 Unprocessable Entity',
  'Content-Type: application/json',
  `Content-Length: ${REFUSAL_BODY.length}`,
  '',
  REFUSAL_BODY,
].join('\r\n');
/** A TCP connection between the workers and the supplier, with the faults of networks. */
export class SupplierWire {
  private fault: WireFault | null = null;
  /** The number of purchases while every other one is refused. */
  private purchases = 0;
  private server: Server | undefined;
  private readonly clients = new Set<Socket>();
  /** Requests that have not reached the supplier yet. */
  private readonly underway = new Set<Promise<void>>();

  constructor(
    readonly port: number,
    private readonly supplierPort: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    this.server = createServer((client) => this.join(client));
    await new Promise<void>((resolve, reject) => {
      this.server?.once('error', reject);
      this.server?.listen(this.port, '127.0.0.1', resolve);
    });
  }

  /** Refuses connections until {@link listen} is called again, and ends the open ones. */
  async refuse(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    for (const client of this.clients) client.destroy();
    await closed;
  }

  set(fault: WireFault | null): void {
    this.fault = fault;
  }

  /** Resolves when every delayed request has reached the supplier. */
  async idle(): Promise<void> {
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /** Refuses nothing while an earlier request may arrive after the quiet period, because that refusal would look like a true one. */
  private isRefused(bytes: Buffer): boolean {
    return this.fault === 'refused' && isPurchase(bytes) && this.underway.size === 0 && this.purchases++ % 2 === 0;
  }

  private join(client: Socket): void {
    this.clients.add(client);
    const supplier = connect(this.supplierPort, '127.0.0.1');
    let dropping = false;
    let swallowing = false;
    // The requests on their way to the supplier, in order.
    let sent: Promise<void> = Promise.resolve();
    const forward = (bytes: Buffer, afterMs: number): void => {
      const one = sent.then(async () => {
        if (afterMs > 0) await delay(afterMs);
        supplier.write(bytes);
      });
      sent = one;
      this.underway.add(one);
      void one.finally(() => this.underway.delete(one));
    };
    client.on('data', (bytes) => {
      if (this.fault === 'reset') return void client.resetAndDestroy();
      swallowing ||= this.fault === 'half-open';
      if (swallowing) return;
      if (this.isRefused(bytes)) return void setTimeout(() => client.writable && client.write(REFUSAL), DELAY_MS);
      dropping ||= this.fault === 'dropped';
      forward(bytes, this.fault === 'late' ? LATE_MS : 0);
    });
    supplier.on('data', (bytes) => {
      if (dropping) return void client.resetAndDestroy();
      if (this.fault !== 'delayed' && this.fault !== 'refused') return void client.write(bytes);
      setTimeout(() => client.writable && client.write(bytes), DELAY_MS);
    });
    client.on('error', () => undefined);
    supplier.on('error', () => undefined);
    supplier.on('close', () => client.destroy());
    client.on('close', () => {
      this.clients.delete(client);
      // A request that the caller gave up still arrives. Only then the connection ends.
      void sent.then(() => supplier.end());
    });
  }
}

const isPurchase = (bytes: Buffer): boolean => bytes.subarray(0, 5).toString() === 'POST ';
