import { ORDER_SECONDS } from '../../src/core/instruments.js';
import { CALL_SECONDS } from '../../src/core/metrics.js';
import { UNBOUNDED_MS, type Counted } from '../../src/monitoring/stats/counted.js';
import { resultOf, type DemoDelivery } from './demo-deliveries.js';
import { endOf } from './demo-orders.js';
import type { WrittenOrder } from './demo-rows.js';
import { demoSuppliers } from './demo-shops.js';

type Figure = Counted & { minute: Date };

const MINUTE_MS = 60_000;

/** The stats by the minute that the processes would have counted from the orders and deliveries, for the console's charts. */
export function demoFigures(orders: readonly WrittenOrder[], deliveries: readonly DemoDelivery[]): Figure[] {
  const figures = new Map<string, Figure>();
  const count = (at: Date, named: Omit<Counted, 'value'>): void => {
    const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
    const key = JSON.stringify([minute, Object.values(named)]);
    const known = figures.get(key) ?? { ...named, minute, value: 0n };
    figures.set(key, { ...known, value: known.value + 1n });
  };
  for (const { order, outcome } of orders) {
    const { created_at: from, updated_at: until, status } = order;
    count(from, { figure: 'orders', subject: '', label: 'placed', up_to_ms: 0 });
    if (outcome === null) continue;
    count(until, { figure: 'orders', subject: '', label: status, up_to_ms: 0 });
    const upTo = bucketOf(until.getTime() - from.getTime(), ORDER_SECONDS);
    count(until, { figure: 'order_duration', subject: '', label: status, up_to_ms: upTo });
  }
  for (const { supplier, calls } of orders.flatMap(({ demo }) => demo.units.flatMap((unit) => unit.attempts)))
    for (const call of calls) {
      const subject = demoSuppliers[supplier]?.code ?? '';
      const [calls, duration] =
        call.kind === 'send'
          ? (['supplier_sends', 'supplier_send_duration'] as const)
          : (['supplier_inquiries', 'supplier_inquiry_duration'] as const);
      const at = endOf(call);
      count(at, { figure: calls, subject, label: call.outcome, up_to_ms: 0 });
      count(at, { figure: duration, subject, label: '', up_to_ms: bucketOf(call.durationMs, CALL_SECONDS) });
    }
  for (const attempt of deliveries.flatMap(({ attempts }) => attempts))
    count(attempt.startedAt, {
      figure: 'webhook_attempts',
      subject: '',
      label: resultOf(attempt),
      up_to_ms: 0,
    });
  return [...figures.values()];
}

function bucketOf(ms: number, bounds: readonly number[]): number {
  const bound = bounds.find((seconds) => seconds * 1000 >= ms);
  return bound === undefined ? UNBOUNDED_MS : Math.round(bound * 1000);
}
