import { FAILURE_MESSAGES } from '../../src/core/failures.js';
import { contentHash } from '../../src/orders/order-content.js';
import { orderOutcome, type OrderOutcome } from '../../src/orders/order-outcome.js';
import type { ItemRow, OrderRow } from '../../src/orders/order.rows.js';
import { lineAmounts, sumAmounts } from '../../src/orders/pricing.js';
import { endOf, first, type DemoAttempt, type DemoCall, type DemoOrder, type DemoUnit } from './demo-orders.js';
import type { AttemptInput, CallInput, ItemInput, OrderInput, UnitInput } from './demo-history.sql.js';
import { costMicros, demoId, demoShops, demoSuppliers, hashed, satang } from './demo-shops.js';

export const PROCESS = 'worker@topup-1:1-5e2a';
/** The most that a purchase may cost, in percent of the expected cost. */
const MAX_COST_PERCENT = 105n;

/** An order of the demo with the rows that merchants see of it. */
export interface WrittenOrder {
  order: OrderRow;
  items: ItemRow[];
  /** Null while one of its units waits for a decision. */
  outcome: OrderOutcome | null;
  demo: DemoOrder;
}

const lastOf = <Item>(items: readonly Item[]): Item => first(items.slice(-1));
const codeOf = (supplier: number): string => demoSuppliers[supplier]?.code ?? '';
/** The supplier's message, without the code before it. */
const messageOf = (call: DemoCall): string | null => call.detail?.split(': ').at(-1) ?? null;

/** The end of the unit's last call. */
const settledAt = ({ attempts }: DemoUnit): Date => endOf(lastOf(lastOf(attempts).calls));

/** @param merchantIds of the shops. */
export function toWritten(demo: DemoOrder, merchantIds: readonly number[]): WrittenOrder {
  const { shop, placedAt, player, lines, units } = demo;
  const referenceId = `${demoShops[shop]?.prefix ?? ''}${demo.number}`;
  const items = lines.map((line, index) => toItem(line, index + 1, units));
  const amounts = sumAmounts(
    items.map((item) => lineAmounts({ listPrice: item.list_price, unitPrice: item.unit_price }, item.quantity)),
  );
  const isOpen = items.some(({ status }) => status === 'processing');
  const outcome = isOpen ? null : orderOutcome(items);
  const ends = units.map((unit) => settledAt(unit).getTime());
  const order: OrderRow = {
    id: 0n,
    merchant_id: merchantIds[shop] ?? 0,
    sandbox: false,
    metadata: null,
    character_id: null,
    order_number: demoId('ord_', 16, placedAt, `order ${referenceId}`),
    reference_id: referenceId,
    user_id: player.userId,
    server_id: player.serverId,
    status: outcome?.status ?? 'processing',
    failure_code: outcome?.failureCode ?? null,
    failure_message: outcome?.failureMessage ?? null,
    subtotal_amount: amounts.subtotal,
    discount_amount: amounts.discount,
    total_amount: amounts.total,
    created_at: placedAt,
    updated_at: outcome ? new Date(Math.max(...ends) + 8) : new Date(placedAt.getTime() + 30),
  };
  return { order, items, outcome, demo };
}

function toItem({ product, quantity }: DemoOrder['lines'][number], position: number, all: DemoUnit[]): ItemRow {
  const units = all.filter(({ item }) => item === position);
  const count = (state: DemoUnit['state']): number => units.filter((unit) => unit.state === state).length;
  const failed = units.find(({ state }) => state === 'failed');
  const status = count('review') > 0 ? 'processing' : failed ? 'failed' : 'completed';
  return {
    order_id: 0n,
    position,
    sku: product.sku,
    quantity,
    kind: 'topup',
    status,
    list_price: satang(product.price),
    unit_price: satang(product.merchantPrice ?? product.price),
    completed_quantity: count('succeeded'),
    failed_quantity: count('failed'),
    ...failureOf(failed),
  };
}

function failureOf(unit: DemoUnit | undefined): Pick<ItemRow, 'failure_code' | 'failure_message'> {
  if (unit?.state !== 'failed') return { failure_code: null, failure_message: null };
  const { failure, calls } = lastOf(unit.attempts);
  const message = messageOf(lastOf(calls)) ?? (failure && FAILURE_MESSAGES[failure]);
  return { failure_code: failure, failure_message: message };
}

/** The members of the row that merchants do not see. */
export const toOrderInput = ({ order, items, demo }: WrittenOrder): OrderInput => ({
  ...order,
  content_hash: contentHash({
    ...demo.player,
    characterId: null,
    metadata: null,
    lines: items.map(({ sku, quantity }) => ({ sku, quantity })),
  }),
  open_items: items.filter(({ status }) => status === 'processing').length,
  request_id: `req_${hashed(`request ${order.reference_id}`, 20)}`,
});

const termsOf = (
  { lines }: DemoOrder,
  item: number,
  supplier: number,
): Pick<ItemInput, 'expected_cost_micros' | 'max_cost_micros'> => {
  const cost = costMicros(first(lines.slice(item - 1)).product, supplier);
  return { expected_cost_micros: cost, max_cost_micros: (cost * MAX_COST_PERCENT) / 100n };
};

export const toItemInputs = ({ order, items, demo }: WrittenOrder): ItemInput[] =>
  items.map((item) => {
    const { attempts } = first(demo.units.filter((unit) => unit.item === item.position));
    const { supplier } = first(attempts);
    const terms = termsOf(demo, item.position, supplier);
    return { ...item, ...terms, order_number: order.order_number, supplier: codeOf(supplier) };
  });

export const toUnitInputs = ({ order, demo }: WrittenOrder): UnitInput[] =>
  demo.units.map((unit) => {
    const { attempts, state } = unit;
    const latest = lastOf(attempts);
    const calls = attempts.flatMap((attempt) => attempt.calls);
    const sent = latest.calls.filter(({ kind }) => kind === 'send');
    const doubt = latest.calls.find(({ outcome }) => outcome === 'unknown');
    return {
      order_number: order.order_number,
      item: unit.item,
      unit: unit.unit,
      state,
      supplier: codeOf(latest.supplier),
      attempt: attempts.length,
      sends: calls.filter(({ kind }) => kind === 'send').length,
      inquiries: latest.calls.filter(({ kind }) => kind === 'inquiry').length,
      first_sent_at: first(sent).startedAt,
      last_sent_at: lastOf(sent).startedAt,
      unknown_since: doubt ? endOf(doubt) : null,
      supplier_reference: theirName(order, unit, latest, attempts.length),
      ...failureOf(unit),
      updated_at: settledAt(unit),
    };
  });

/** The supplier's own reference for the purchase. */
function theirName({ order_number }: OrderRow, unit: DemoUnit, attempt: DemoAttempt, number: number): string | null {
  if (unit.state !== 'succeeded' || number < unit.attempts.length) return null;
  const seed = hashed(`${order_number} ${unit.item} ${unit.unit}`, 12);
  const digits = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 10_000_000, 7);
  return `${demoSuppliers[attempt.supplier]?.names ?? ''}-${String(digits).padStart(7, '0')}`;
}

export const toAttemptInputs = ({ order, items, demo }: WrittenOrder): AttemptInput[] =>
  demo.units.flatMap((unit) =>
    unit.attempts.map((attempt, index) => {
      const number = index + 1;
      const isOver = number < unit.attempts.length;
      const own = `${order.order_number}.${unit.item}.${unit.unit}`;
      const terms = termsOf(demo, unit.item, attempt.supplier);
      const isBought = !isOver && unit.state === 'succeeded';
      const end = lastOf(attempt.calls);
      return {
        order_number: order.order_number,
        item: unit.item,
        unit: unit.unit,
        number,
        ...terms,
        supplier: codeOf(attempt.supplier),
        sku: first(items.slice(unit.item - 1)).sku,
        reference: number > 1 ? `${own}.${number}` : own,
        supplier_reference: theirName(order, unit, attempt, number),
        cost_micros: isBought ? terms.expected_cost_micros : null,
        failure_code: isOver ? attempt.failure : null,
        failure_message: isOver ? messageOf(end) : null,
        ended_at: isOver ? endOf(end) : null,
        created_at: new Date(first(attempt.calls).startedAt.getTime() - 5),
      };
    }),
  );

export const toCallInputs = ({ order, demo }: WrittenOrder): CallInput[] =>
  demo.units.flatMap(({ item, unit, attempts }) =>
    attempts.flatMap(({ calls }, index) =>
      calls.map((call) => ({
        order_number: order.order_number,
        item,
        unit,
        attempt: index + 1,
        process: PROCESS,
        kind: call.kind,
        outcome: call.outcome,
        detail: call.detail,
        duration_ms: call.durationMs,
        ended_at: endOf(call),
      })),
    ),
  );
