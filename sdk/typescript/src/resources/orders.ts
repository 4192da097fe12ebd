import { sleep } from '../backoff.js';
import { List, type Page } from '../list.js';
import { pathTo } from '../path.js';
import type { CallOptions, Transport } from '../transport.js';
import type { NewOrder, Order, OrderQuery } from '../types.js';

/** The growing waits between two reads of an order. */
const FIRST_LOOK_MS = 500;
const LAST_LOOK_MS = 5_000;

export class Orders {
  constructor(private readonly transport: Transport) {}

  /**
   * Creates an order, and charges the wallet. Safe to repeat: the same `reference_id` with the same content returns the same
   * order and charges once.
   * @throws ApiError such as 400, 409 `DUPLICATE_REFERENCE`, or 503 with `isInsufficientBalance`
   */
  create(order: NewOrder, options?: CallOptions): Promise<Order> {
    return this.transport.send({ method: 'POST', path: '/v1/orders', body: order, isRepeatable: true }, options);
  }

  /** The order as it stands now, by your `reference_id`. @throws ApiError 404; TypeError for `.` and `..` */
  async get(referenceId: string, options?: CallOptions): Promise<Order> {
    return this.transport.get(pathTo('/v1/orders', 'reference_id', referenceId), {}, options);
  }

  /** Newest first. */
  list(query: OrderQuery = {}, options?: CallOptions): List<Order> {
    return new List((cursor) => this.transport.get<Page<Order>>('/v1/orders', { ...query, cursor }, options));
  }

  /**
   * Creates an order and follows it to its end, `completed` or `failed`. A signal ends the wait, such as
   * `AbortSignal.timeout(60_000)`; the order continues without it. With webhooks you need not wait.
   */
  async createAndWait(order: NewOrder, options?: CallOptions): Promise<Order> {
    let state = await this.create(order, options);
    // A repeated POST returns no codes.
    if (isEnded(state)) return this.get(order.reference_id, options);
    for (let waitMs = FIRST_LOOK_MS; !isEnded(state); waitMs = Math.min(waitMs * 1.5, LAST_LOOK_MS)) {
      await sleep(waitMs, options?.signal);
      state = await this.get(order.reference_id, options);
    }
    return state;
  }
}

const isEnded = ({ status }: Order): boolean => status === 'completed' || status === 'failed';
