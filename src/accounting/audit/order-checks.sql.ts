import { counted } from '../../core/text.js';
import { formatBaht } from '../../core/money.js';
import { baht, type Among, type OrderCheck } from './check.sql.js';
import { ordersAndItems } from './unit-checks.sql.js';

/** Each order with its movements of money, and the amounts that follow from its units. */
const ordersAndMoney = (among: Among): string => `
  SELECT o.id, o.order_number, o.status, o.status IN ('completed', 'failed') AS ended, o.total_amount,
         coalesce(moved.hold, 0) AS hold, coalesce(moved.spend, 0) AS spend, coalesce(moved.refund, 0) AS refund,
         coalesce(bought.succeeded, 0) AS succeeded, coalesce(bought.failed, 0) AS failed
  FROM orders o
  LEFT JOIN (
    SELECT order_id, sum(amount) FILTER (WHERE kind = 'order_hold') AS hold,
           sum(amount) FILTER (WHERE kind = 'order_spend') AS spend,
           sum(amount) FILTER (WHERE kind = 'order_refund') AS refund
    FROM transfers WHERE ${among('order_id')} GROUP BY order_id) moved ON moved.order_id = o.id
  LEFT JOIN (
    SELECT i.order_id, sum(i.unit_price) FILTER (WHERE u.state = 'succeeded') AS succeeded,
           sum(i.unit_price) FILTER (WHERE u.state = 'failed') AS failed
    FROM order_units u JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
    WHERE ${among('u.order_id')} AND ${among('i.order_id')}
    GROUP BY i.order_id) bought ON bought.order_id = o.id
  WHERE ${among('o.id')}`;

/** Each order with a count of the events about its end. */
const ordersAndEvents = (among: Among): string => `
  SELECT o.order_number, o.status, o.status IN ('completed', 'failed') AS ended, coalesce(recorded.events, 0) AS events,
         coalesce(recorded.fitting, 0) AS fitting,
         -- The events of orders that ended long ago may have been removed for their age.
         o.updated_at <= (SELECT removed_until FROM event_retention) AS is_old
  FROM orders o
  LEFT JOIN (
    SELECT e.order_id, count(*) AS events,
           count(*) FILTER (WHERE e.kind = 'order.' || o.status AND e.merchant_id = o.merchant_id
                            AND e.reference_id = o.reference_id) AS fitting
    FROM events e JOIN orders o ON o.id = e.order_id
    WHERE ${among('e.order_id')} AND ${among('o.id')}
    GROUP BY e.order_id) recorded ON recorded.order_id = o.id
  WHERE ${among('o.id')}`;

const amounts = (...names: string[]): string =>
  `format('order %s (%s): ${names.map((name) => `${name} %s`).join(', ')}', order_number, status, ${names.map(baht).join(', ')})`;

/** Rules about orders, their money and the events of their ends. */
export const ORDER_CHECKS: OrderCheck[] = [
  {
    name: 'order_holds',
    rows: ordersAndMoney,
    wrong: 'hold <> total_amount',
    example: amounts('total_amount', 'hold'),
    figures: { total: 'sum(total_amount)', hold: 'sum(hold)' },
    describe: ({ checked = 0n, total = 0n, hold = 0n }) =>
      `${counted(checked, 'order')} of ${formatBaht(total)} in total, holds ${formatBaht(hold)}`,
  },
  {
    name: 'ended_orders_hold_nothing',
    rows: ordersAndMoney,
    of: 'ended',
    wrong: 'hold <> spend + refund',
    example: amounts('hold', 'spend', 'refund'),
    figures: { hold: 'sum(hold)', spend: 'sum(spend)', refund: 'sum(refund)' },
    describe: ({ checked = 0n, hold = 0n, spend = 0n, refund = 0n }) =>
      `${counted(checked, 'ended order')}, holds ${formatBaht(hold)} = spends ${formatBaht(spend)} + refunds ${formatBaht(refund)}`,
  },
  {
    name: 'open_orders_moved_nothing',
    rows: ordersAndMoney,
    of: 'NOT ended',
    wrong: 'spend <> 0 OR refund <> 0',
    example: amounts('spend', 'refund'),
    figures: { total: 'sum(total_amount)' },
    describe: ({ checked = 0n, total = 0n }) =>
      `${counted(checked, 'open order')} of ${formatBaht(total)}, nothing spent or returned`,
  },
  {
    name: 'spends',
    rows: ordersAndMoney,
    of: 'ended',
    wrong: 'spend <> succeeded',
    example: amounts('spend', 'succeeded'),
    figures: { spend: 'sum(spend)', succeeded: 'sum(succeeded)' },
    describe: ({ checked = 0n, spend = 0n, succeeded = 0n }) =>
      `${counted(checked, 'ended order')}, spends ${formatBaht(spend)}, price of succeeded units ${formatBaht(succeeded)}`,
  },
  {
    name: 'refunds',
    rows: ordersAndMoney,
    of: 'ended',
    wrong: 'refund <> failed',
    example: amounts('refund', 'failed'),
    figures: { refund: 'sum(refund)', failed: 'sum(failed)' },
    describe: ({ checked = 0n, refund = 0n, failed = 0n }) =>
      `${counted(checked, 'ended order')}, refunds ${formatBaht(refund)}, price of failed units ${formatBaht(failed)}`,
  },
  {
    name: 'order_amounts',
    rows: ordersAndItems,
    wrong: `
      subtotal_amount <> items_subtotal OR total_amount <> items_total
      OR discount_amount <> subtotal_amount - total_amount
      OR least(subtotal_amount, discount_amount, total_amount) < 0`,
    example: amounts('subtotal_amount', 'discount_amount', 'total_amount', 'items_subtotal', 'items_total'),
    figures: {
      subtotal: 'sum(subtotal_amount)',
      discount: 'sum(discount_amount)',
      total: 'sum(total_amount)',
    },
    describe: ({ checked = 0n, subtotal = 0n, discount = 0n, total = 0n }) =>
      `${counted(checked, 'order')}, total ${formatBaht(total)} = subtotal ${formatBaht(subtotal)} - discount ${formatBaht(discount)}`,
  },
  {
    name: 'order_events',
    rows: ordersAndEvents,
    wrong: 'events > ended::int OR (events < ended::int AND NOT is_old) OR fitting <> events',
    example: `format('order %s (%s) has %s events, %s of them with its status, merchant and reference', order_number, status, events, fitting)`,
    figures: { ended: 'count(*) FILTER (WHERE ended)', events: 'sum(events)' },
    describe: ({ ended = 0n, events = 0n }) =>
      `${counted(ended, 'ended order')}, ${counted(events, 'event')} of their ends`,
  },
];
