import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';
import type { PlannedOrder } from './schedule.js';
import { isOfVendorsOnly } from './vendor-plan.js';
import { SERVER_ID } from './vendors/vendor-kind.js';

/** A delivered code. */
export interface DeliveredCode {
  unit: number;
  code: string | null;
}

/** The API's view of an order. */
export interface OrderBody {
  order_number: string;
  reference_id: string;
  user_id: string;
  status: 'pending' | 'processing' | 'completed' | 'failed';
  total_amount: string;
  created_at: string;
  items: {
    sku: string;
    quantity: number;
    completed_quantity: number;
    failed_quantity: number;
    deliveries?: DeliveredCode[];
  }[];
}

/** One answer to a client: an order or an error. */
export interface ClientAnswer {
  kind: 'create' | 'replay' | 'conflict' | 'read';
  sentAtMs: number;
  atMs: number;
  status: number;
  replayed: boolean;
  body: OrderBody & { code?: string; details?: { code: string }[] };
}

/** All requests of one client about one order, with their answers. */
export interface OrderHistory {
  plan: PlannedOrder;
  answers: ClientAnswer[];
  /** Requests to create it that got no answer, or an answer that leaves open whether it exists. */
  open: number;
  /** Whether the client knows the end of its order. */
  decided: boolean;
}

/** Merchants' clients: they place the planned orders, and repeat requests with an unknown result. */
export class Clients {
  readonly histories: OrderHistory[] = [];

  constructor(
    private readonly apiUrl: string,
    private readonly keys: string[],
    private readonly random: Random,
  ) {}

  /** Runs the requests about one order until the client knows its end, or until `giveUpAtMs`. */
  async play(plan: PlannedOrder, giveUpAtMs: () => number): Promise<void> {
    const history: OrderHistory = { plan, answers: [], open: 0, decided: false };
    this.histories.push(history);
    const random = this.random.fork(plan.reference);
    const twin = plan.doubled ? this.create(history, 'create', 4_000) : Promise.resolve();
    for (let patienceMs = plan.patienceMs; ; patienceMs = 4_000) {
      await this.create(history, 'create', patienceMs);
      if (history.decided || performance.now() > giveUpAtMs()) break;
      await delay(random.int(100, 800) * Math.min(history.open, 5));
    }
    await twin;
    if (!history.answers.some(({ status }) => status === 200)) return;
    await Promise.all([
      this.later(plan.replayAfterMs, () => this.create(history, 'replay', 4_000)),
      this.later(plan.conflictAfterMs, () => this.create(history, 'conflict', 4_000)),
      this.later(plan.readAfterMs, () => this.read(history)),
    ]);
  }

  /** Reads the current order. @returns null without an answer. */
  async read(history: OrderHistory): Promise<ClientAnswer | null> {
    return this.ask(history, 'read', `/v1/orders/${history.plan.reference}`, null, 4_000);
  }

  /** The same, again while the service or the machine is too busy. @returns the last answer. */
  async readAtLast(history: OrderHistory): Promise<ClientAnswer | null> {
    for (let more = 10; ; more--) {
      const answer = await this.read(history);
      if (more === 0 || (answer !== null && answer.status < 500)) return answer;
      await delay(500);
    }
  }

  private async create(history: OrderHistory, kind: ClientAnswer['kind'], patienceMs: number): Promise<void> {
    const { reference, userId, items } = history.plan;
    const user = kind === 'conflict' ? `not-${userId}` : userId;
    const body = { reference_id: reference, user_id: user, server_id: SERVER_ID, items };
    const answer = await this.ask(history, kind, '/v1/orders', body, patienceMs);
    if (kind === 'conflict') return;
    if (answer === null || (answer.status >= 500 && !isShortOfMoney(answer))) history.open++;
    else history.decided = true;
  }

  private async later(afterMs: number | null, act: () => Promise<unknown>): Promise<void> {
    if (afterMs === null) return;
    await delay(afterMs);
    await act();
  }

  private async ask(
    history: OrderHistory,
    kind: ClientAnswer['kind'],
    path: string,
    body: object | null,
    patienceMs: number,
  ): Promise<ClientAnswer | null> {
    const sentAtMs = performance.now();
    try {
      const response = await fetch(this.apiUrl + path, {
        method: body === null ? 'GET' : 'POST',
        headers: {
          'x-api-key': this.keys[history.plan.merchant] ?? '',
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const responseBody = (await response.json()) as ClientAnswer['body'];
      const answer: ClientAnswer = {
        kind,
        sentAtMs,
        atMs: performance.now(),
        status: response.status,
        replayed: response.headers.get('idempotent-replayed') === 'true',
        body: responseBody,
      };
      history.answers.push(answer);
      return answer;
    } catch {
      return null;
    }
  }
}

/** The 503 for too low a balance. It is a definite refusal: no order exists, and nothing was charged. */
export const isShortOfMoney = ({ status, body }: ClientAnswer): boolean =>
  status === 503 && body.details?.[0]?.code === 'INSUFFICIENT_BALANCE';

/** The refusal of a product whose vendors are all paused: no order exists, and nothing was charged. */
export const isNotSold = ({ status, body }: ClientAnswer, { items }: PlannedOrder): boolean =>
  status === 400 &&
  body.details?.every(({ code }) => code === 'PRODUCT_UNAVAILABLE') === true &&
  items.some(({ sku }) => isOfVendorsOnly(sku));
