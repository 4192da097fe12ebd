import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { SUPPLIER_TIMEOUT_MS } from './fault-plan.js';
import type { Purchase } from './sold.js';

/** Players to whom it sells late, after the callers have given up. */
const SELLS_LATE = /^late-\d+$/;
/** Players whose units it refuses and sells nevertheless. Its list has these sales. */
const SELLS_WHAT_IT_REFUSES = /^refused-sold-\d+$/;

/** Whether it first reports that it did not sell a player's units, and later that it did. */
export const isSoldAfterAll = (sku: string, userId: string): boolean =>
  sku.startsWith(CARELESS_SKU) && SELLS_WHAT_IT_REFUSES.test(userId);

/** Products with it as the only or the first supplier. */
export const CARELESS_SKU = 'CHAOS-CARELESS';
export const CARELESS_FIRST_SKU = `${CARELESS_SKU}-FIRST`;

/**
 * We query it two seconds after the call has timed out, and it sells half a second after that. But it answers with its state
 * from the time of the query, and so late that the quiet period has ended.
 */
const SOLD_AFTER_MS = SUPPLIER_TIMEOUT_MS + 2_500;
const REPORTED_AFTER_MS = SUPPLIER_TIMEOUT_MS - 250;
const SOLD_AFTER_REFUSAL_MS = 500;

const PAGE = 100;

interface Send {
  atMs: number;
  reference: string;
  sku: string;
  user_id: string;
}

interface Sale extends Send {
  name: string;
}

/**
 * A supplier that speaks the protocol and breaks its rules: it sells a reference each time that it is sent, sometimes long after
 * the caller has given up, and sometimes after a refusal. Its list has every sale.
 */
export class CarelessSupplier {
  /** The number of complete readings of its list. */
  timesListed = 0;
  private readonly sends: Send[] = [];
  private readonly sales: Sale[] = [];
  private readonly underway = new Set<Promise<unknown>>();
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Resolves when it has made all late sales. */
  async idle(): Promise<void> {
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /** Its sales, and the requests that it refused, by reference. */
  purchases(): Purchase[] {
    return [...new Set(this.sends.map(({ reference }) => reference))].map((reference) => {
      const sends = this.sends.filter((each) => each.reference === reference);
      const names = this.sales.filter((each) => each.reference === reference).map(({ name }) => name);
      const { sku = '', user_id = '' } = sends[0] ?? {};
      return {
        reference,
        sku,
        user_id,
        received: sends.length,
        names,
        times_bought: names.length,
        sent_apart_ms: leastGapOf(sends.map(({ atMs }) => atMs)),
        outcome: names.length > 0 ? 'succeeded' : 'failed',
        supplier_reference: names[0] ?? null,
        failure_code: names.length > 0 ? null : 'OUT_OF_STOCK',
      };
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const [, reference] = /^\/v1\/top-ups\/([^/]+)$/.exec(pathname) ?? [];
    if (reference !== undefined) return this.tell(response, decodeURIComponent(reference));
    if (pathname !== '/v1/top-ups') return send(response, 404, { code: 'ROUTE_NOT_FOUND' });
    if (request.method === 'GET') return this.list(response, searchParams);
    await this.sell(response, JSON.parse(await text(request)) as Omit<Send, 'atMs'>);
  }

  private async sell(response: ServerResponse, { reference, sku, user_id }: Omit<Send, 'atMs'>): Promise<void> {
    const wanted = { reference, sku, user_id, atMs: Date.now() };
    this.sends.push(wanted);
    if (SELLS_WHAT_IT_REFUSES.test(user_id)) {
      send(response, 422, { failure_code: 'OUT_OF_STOCK', failure_message: 'says the careless supplier' });
      await this.later(SOLD_AFTER_REFUSAL_MS, () => this.record(wanted));
    } else {
      const { name } = await this.later(SELLS_LATE.test(user_id) ? SOLD_AFTER_MS : 0, () => this.record(wanted));
      send(response, 200, { reference, status: 'succeeded', supplier_reference: name });
    }
  }

  /** Answers with its state at this moment; the answer is late, too, for a player with late sales. */
  private async tell(response: ServerResponse, reference: string): Promise<void> {
    const sale = this.sales.find((each) => each.reference === reference);
    const { user_id = '' } = this.sends.find((each) => each.reference === reference) ?? {};
    if (SELLS_LATE.test(user_id)) await delay(REPORTED_AFTER_MS);
    if (sale === undefined) return send(response, 404, { code: 'NOT_FOUND' });
    send(response, 200, { reference, status: 'succeeded', supplier_reference: sale.name });
  }

  private list(response: ServerResponse, query: URLSearchParams): void {
    const sinceMs = Date.parse(query.get('since') ?? '');
    const since = this.sales.filter(({ atMs }) => atMs >= sinceMs);
    const begin = Number(query.get('cursor') ?? '0');
    const data = since.slice(begin, begin + PAGE).map(({ reference, sku, user_id, name, atMs }) => ({
      reference,
      status: 'succeeded',
      supplier_reference: name,
      sku,
      user_id,
      created_at: new Date(atMs).toISOString(),
    }));
    const isLast = begin + PAGE >= since.length;
    if (isLast) this.timesListed++;
    send(response, 200, { data, next_cursor: isLast ? null : `${begin + PAGE}` });
  }

  private record(wanted: Send): Sale {
    const sale = { ...wanted, name: `careless-${this.sales.length + 1}`, atMs: Date.now() };
    this.sales.push(sale);
    return sale;
  }

  /** Waits. The caller may be gone by then. */
  private async later<Result>(afterMs: number, act: () => Result): Promise<Result> {
    const acting = delay(afterMs).then(act);
    this.underway.add(acting);
    try {
      return await acting;
    } finally {
      this.underway.delete(acting);
    }
  }
}

/** The shortest time between two of these moments; null if there is only one. */
const leastGapOf = (momentsMs: number[]): number | null =>
  momentsMs.length < 2 ? null : Math.min(...momentsMs.slice(1).map((ms, index) => ms - (momentsMs[index] ?? ms)));

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
