import { isDeepStrictEqual } from 'node:util';
import {
  isNotSold,
  isShortOfMoney,
  type Clients,
  type OrderBody,
  type OrderHistory,
  type ClientAnswer,
} from './clients.js';
import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

interface StoredOrder {
  merchant_id: number;
  reference_id: string;
  order_number: string;
  user_id: string;
  status: string;
  items: { sku: string; quantity: number }[];
}

/** Compares the answers to the clients with each other, with their requests, and with the database. */
export async function checkClients(
  system: ChaosSystem,
  clients: Clients,
  merchantIds: number[],
  violations: Violations,
): Promise<void> {
  const stored = await system.sql<StoredOrder>(`
    SELECT o.merchant_id, o.reference_id, o.order_number, o.user_id, o.status,
           (SELECT json_agg(json_build_object('sku', sku, 'quantity', quantity) ORDER BY position)
            FROM order_items WHERE order_id = o.id) AS items
    FROM orders o`);
  const byReference = new Map<string, StoredOrder[]>();
  for (const order of stored) {
    const key = `${order.merchant_id} ${order.reference_id}`;
    byReference.set(key, [...(byReference.get(key) ?? []), order]);
  }
  for (const history of clients.histories) {
    const key = `${merchantIds[history.plan.merchant]} ${history.plan.reference}`;
    const orders = byReference.get(key) ?? [];
    byReference.delete(key);
    checkAnswers(history, violations);
    checkStored(history, orders, violations);
    if (orders.length === 1) await checkFinal(history, clients, violations);
  }
  for (const orders of byReference.values()) {
    violations.add('clients', 'there is an order that no client asked for', orders);
  }
}

const placedBy = ({ answers }: OrderHistory): ClientAnswer[] =>
  answers.filter(({ kind, status }) => (kind === 'create' || kind === 'replay') && status === 200);

/** The members of an order that never change. */
const lasting = ({ order_number, reference_id, user_id, total_amount, created_at, items }: OrderBody): object => ({
  order_number,
  reference_id,
  user_id,
  total_amount,
  created_at,
  items: items.map(({ sku, quantity }) => ({ sku, quantity })),
});

function checkAnswers(history: OrderHistory, violations: Violations): void {
  const about = { plan: history.plan, answers: history.answers };
  if (!history.decided) violations.add('clients', 'a client never learned what became of its order', about);
  const placed = placedBy(history);
  for (const answer of history.answers) {
    if (!isExpected(answer, placed.length > 0) && !isNotSold(answer, history.plan)) {
      violations.add('clients', 'an answer that no fault explains', { plan: history.plan, answer });
    }
  }
  if (placed.filter(({ replayed }) => !replayed).length > 1) {
    violations.add('clients', 'a reference was placed more than once', about);
  }
  const orders = history.answers.filter(({ status }) => status === 200);
  for (const { body } of orders) {
    const first = orders[0]?.body ?? body;
    if (!isDeepStrictEqual(lasting(body), lasting(first))) {
      violations.add('clients', 'two answers about one order differ in what never changes', [first, body]);
    }
  }
  for (const later of orders) {
    const earlier = orders.find((other) => other.atMs < later.sentAtMs && isAhead(other.body, later.body));
    if (earlier) violations.add('clients', 'an order went back', [earlier, later]);
  }
}

/** Checks errors: 503 while PostgreSQL is unreachable, 409 for other content, and never 404 for an acknowledged order. */
function isExpected({ kind, status, body }: ClientAnswer, isPlaced: boolean): boolean {
  if (status === 503) return body.code === 'SERVICE_UNAVAILABLE';
  if (kind === 'conflict') return status === 409 && body.code === 'DUPLICATE_REFERENCE';
  return status === 200 || (kind === 'read' && status === 404 && !isPlaced);
}

const RANKS = { pending: 0, processing: 1, completed: 2, failed: 2 };

const endedUnits = ({ items }: OrderBody): number =>
  items.reduce((sum, item) => sum + item.completed_quantity + item.failed_quantity, 0);

function isAhead(one: OrderBody, other: OrderBody): boolean {
  const [before, after] = [RANKS[one.status], RANKS[other.status]];
  return before > after || (before === 2 && one.status !== other.status) || endedUnits(one) > endedUnits(other);
}

function checkStored(history: OrderHistory, orders: StoredOrder[], violations: Violations): void {
  const acknowledged = placedBy(history);
  if (orders.length > 1 || (orders.length === 0 && acknowledged.length > 0)) {
    violations.add('clients', 'an acknowledged order does not exist exactly once', { history, orders });
  }
  const wasRefused = history.answers.some((answer) => isShortOfMoney(answer) || isNotSold(answer, history.plan));
  if (orders.length > 0 && wasRefused && history.open === 0 && acknowledged.length === 0) {
    violations.add('clients', 'an order exists that was only ever refused', { history, orders });
  }
  for (const order of orders) {
    const { reference, userId, items } = history.plan;
    const asked = { reference_id: reference, user_id: userId, items };
    const { reference_id, user_id, items: got } = order;
    if (!isDeepStrictEqual({ reference_id, user_id, items: got }, asked)) {
      violations.add('clients', 'an order differs from what was asked for', { asked, order });
    }
    if (acknowledged.some(({ body }) => body.order_number !== order.order_number)) {
      violations.add('clients', 'an order was acknowledged under another number', { history, order });
    }
  }
}

/** Once a client has read the end of its order, every later answer is the same. */
async function checkFinal(history: OrderHistory, clients: Clients, violations: Violations): Promise<void> {
  const final = await clients.readAtLast(history);
  if (final?.status !== 200) return violations.add('clients', 'an order cannot be read', { history, final });
  for (const answer of history.answers) {
    if (answer.status !== 200) continue;
    if (!isDeepStrictEqual(lasting(answer.body), lasting(final.body))) {
      violations.add('clients', 'an order reads other than it was acknowledged', { answer, final });
    }
    const whole = answer.kind === 'read' ? final.body : withoutDeliveries(final.body);
    if (RANKS[answer.body.status] === 2 && !isDeepStrictEqual(answer.body, whole)) {
      violations.add('clients', 'a terminal order changed', { answer, final });
    }
  }
}

/** An answer to a read contains the deliveries of an order; one to a repeated request does not. */
const withoutDeliveries = (order: OrderBody): OrderBody => ({
  ...order,
  items: order.items.map(({ deliveries: _, ...item }) => item),
});
