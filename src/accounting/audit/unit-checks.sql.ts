import { counted } from '../../core/text.js';
import type { Among, OrderCheck } from './check.sql.js';

/** In SQL: whether there is no supplier with this id. No foreign key prevents it, because one would lock the supplier's row. */
const isGone = (supplier: string): string => `${supplier} NOT IN (SELECT id FROM suppliers)`;

/** Each item with the values that follow from its units. */
const itemsAndUnits = (among: Among): string => `
  SELECT o.order_number, o.status AS order_status, i.*, coalesce(u.units, 0) AS units,
         coalesce(u.units = i.quantity AND u.first = 1 AND u.last = i.quantity, false) AS numbered,
         coalesce(u.succeeded, 0) AS succeeded, coalesce(u.failed, 0) AS failed, u.first_failure,
         ${isGone('i.supplier_id')} AS supplier_is_gone
  FROM order_items i
  JOIN orders o ON o.id = i.order_id
  LEFT JOIN (
    SELECT order_id, item, count(*) AS units, min(unit) AS first, max(unit) AS last,
           count(*) FILTER (WHERE state = 'succeeded') AS succeeded,
           count(*) FILTER (WHERE state = 'failed') AS failed,
           (array_agg(failure_code ORDER BY unit) FILTER (WHERE state = 'failed'))[1] AS first_failure
    FROM order_units WHERE ${among('order_id')} GROUP BY order_id, item) u ON u.order_id = i.order_id AND u.item = i.position
  WHERE ${among('i.order_id')} AND ${among('o.id')}`;

/** Each order with the values that follow from its items. */
export const ordersAndItems = (among: Among): string => `
  SELECT o.id, o.order_number, o.status, o.open_items, o.failure_code, o.subtotal_amount, o.discount_amount,
         o.total_amount, coalesce(i.items, 0) AS items, coalesce(i.open, 0) AS open,
         coalesce(i.completed, 0) AS completed, coalesce(i.failed, 0) AS failed,
         coalesce(i.succeeded_units, 0) AS succeeded_units, coalesce(i.failed_units, 0) AS failed_units,
         coalesce(i.subtotal, 0) AS items_subtotal, coalesce(i.total, 0) AS items_total, i.first_failure
  FROM orders o
  LEFT JOIN (
    SELECT order_id, count(*) AS items, count(*) FILTER (WHERE status IN ('pending', 'processing')) AS open,
           count(*) FILTER (WHERE status = 'completed') AS completed, count(*) FILTER (WHERE status = 'failed') AS failed,
           sum(completed_quantity) AS succeeded_units, sum(failed_quantity) AS failed_units,
           sum(list_price * quantity) AS subtotal, sum(unit_price * quantity) AS total,
           (array_agg(failure_code ORDER BY position) FILTER (WHERE status = 'failed'))[1] AS first_failure
    FROM order_items WHERE ${among('order_id')} GROUP BY order_id) i ON i.order_id = o.id
  WHERE ${among('o.id')}`;

/** Each unit with its attempts. */
const unitsAndAttempts = (among: Among): string => `
  SELECT o.order_number, u.*, coalesce(a.attempts, 0) AS attempts, coalesce(a.last, 0) AS last,
         coalesce(a.ended, 0) AS ended,
         ${isGone('u.supplier_id')} OR coalesce(a.supplier_is_gone, false) AS supplier_is_gone
  FROM order_units u
  JOIN orders o ON o.id = u.order_id
  LEFT JOIN (
    SELECT order_id, item, unit, count(*) AS attempts, max(number) AS last, count(ended_as) AS ended,
           bool_or(${isGone('supplier_id')}) AS supplier_is_gone
    FROM unit_attempts WHERE ${among('order_id')} GROUP BY order_id, item, unit) a USING (order_id, item, unit)
  WHERE ${among('u.order_id')} AND ${among('o.id')}`;

/** In SQL: the example of a wrong item, as text. @param values the columns that replace `%s` in the words. */
const itemText = (words: string, ...values: string[]): string =>
  `format('item %s of order %s ${words}', ${['position', 'order_number', ...values].join(', ')})`;

/** In SQL: the example of a wrong order, as text. */
const orderText = (words: string, ...values: string[]): string =>
  `format('order %s (%s) ${words}', ${['order_number', 'status', ...values].join(', ')})`;

/** Rules about units, and about the items and orders that follow from units. */
export const UNIT_CHECKS: OrderCheck[] = [
  {
    name: 'units_of_items',
    rows: itemsAndUnits,
    wrong: 'NOT numbered',
    example: itemText('has a quantity of %s and %s units', 'quantity', 'units'),
    figures: { quantity: 'sum(quantity)', units: 'sum(units)' },
    describe: ({ checked = 0n, quantity = 0n, units = 0n }) =>
      `${counted(checked, 'item')} with a quantity of ${quantity} in total, ${counted(units, 'unit')}`,
  },
  {
    name: 'unit_states',
    rows: unitsAndAttempts,
    wrong: `
      (next_action_at IS NULL) <> (state IN ('succeeded', 'failed', 'review'))
      OR (failure_code IS NOT NULL) <> (state = 'failed')
      OR (sends = 0 AND state <> 'queued'
          AND coalesce(failure_code NOT IN ('CANCELLED_BY_OPERATOR', 'SUPPLIER_UNAVAILABLE'), true)) OR sends < 0 OR inquiries < 0`,
    example: `format('unit %s.%s of order %s is %s after %s sends, with next action at %s and failure code %s',
                     item, unit, order_number, state, sends, next_action_at, failure_code)`,
    figures: {
      succeeded: `count(*) FILTER (WHERE state = 'succeeded')`,
      failed: `count(*) FILTER (WHERE state = 'failed')`,
      review: `count(*) FILTER (WHERE state = 'review')`,
    },
    describe: ({ checked = 0n, succeeded = 0n, failed = 0n, review = 0n }) =>
      `${counted(checked, 'unit')}: ${succeeded} succeeded, ${failed} failed, ${review} in review, ` +
      `${checked - succeeded - failed - review} under way`,
  },
  {
    name: 'unit_attempts',
    rows: unitsAndAttempts,
    wrong: 'attempt <> last OR attempt <> attempts OR ended <> greatest(attempts - 1, 0)',
    example: `format('unit %s.%s of order %s is at attempt %s, and has %s on record up to number %s, %s of them ended', item,
                     unit, order_number, attempt, attempts, last, ended)`,
    figures: { attempts: 'sum(attempts)' },
    describe: ({ checked = 0n, attempts = 0n }) =>
      `${counted(checked, 'unit')}, ${counted(attempts, 'attempt')} to buy one`,
  },
  {
    name: 'item_quantities',
    rows: itemsAndUnits,
    wrong: 'completed_quantity <> succeeded OR failed_quantity <> failed',
    example: itemText(
      'counts %s completed and %s failed where %s units succeeded and %s failed',
      'completed_quantity',
      'failed_quantity',
      'succeeded',
      'failed',
    ),
    figures: { completed: 'sum(completed_quantity)', failed: 'sum(failed_quantity)' },
    describe: ({ checked = 0n, completed = 0n, failed = 0n }) =>
      `${counted(checked, 'item')}, ${counted(completed, 'unit')} completed, ${failed} failed`,
  },
  {
    name: 'item_statuses',
    rows: itemsAndUnits,
    wrong: `
      (status = 'completed') <> (succeeded = quantity)
      OR (status = 'failed') <> (failed > 0 AND succeeded + failed = quantity)
      OR (status = 'pending' AND succeeded + failed > 0)
      OR failure_code IS DISTINCT FROM CASE status WHEN 'failed' THEN first_failure END`,
    example: itemText(
      'with a quantity of %s is %s (%s) where %s units succeeded and %s failed (%s)',
      'quantity',
      'status',
      'failure_code',
      'succeeded',
      'failed',
      'first_failure',
    ),
    figures: {
      completed: `count(*) FILTER (WHERE status = 'completed')`,
      failed: `count(*) FILTER (WHERE status = 'failed')`,
    },
    describe: ({ checked = 0n, completed = 0n, failed = 0n }) =>
      `${counted(checked, 'item')}: ${completed} completed, ${failed} failed, ${checked - completed - failed} open`,
  },
  {
    name: 'order_statuses',
    rows: ordersAndItems,
    wrong: `
      items = 0
      OR (status = 'completed') <> (completed = items)
      OR (status = 'failed') <> (failed > 0 AND open = 0)
      OR (status = 'pending' AND succeeded_units + failed_units > 0)`,
    example: orderText('has %s items: %s completed, %s failed', 'items', 'completed', 'failed'),
    figures: {
      completed: `count(*) FILTER (WHERE status = 'completed')`,
      failed: `count(*) FILTER (WHERE status = 'failed')`,
    },
    describe: ({ checked = 0n, completed = 0n, failed = 0n }) =>
      `${counted(checked, 'order')}: ${completed} completed, ${failed} failed, ${checked - completed - failed} open`,
  },
  {
    name: 'open_items',
    rows: ordersAndItems,
    wrong: 'open_items <> open',
    example: orderText('counts %s open items and has %s', 'open_items', 'open'),
    figures: { counted: 'sum(open_items)', open: 'sum(open)' },
    describe: ({ counted: known = 0n, open = 0n }) => `${counted(known, 'open item')} counted, ${open} there`,
  },
  {
    name: 'failure_codes',
    rows: ordersAndItems,
    wrong: `
      failure_code IS DISTINCT FROM
        CASE WHEN status <> 'failed' THEN NULL WHEN succeeded_units > 0 THEN 'PARTIALLY_COMPLETED'
             ELSE first_failure END`,
    example: orderText('has failure code %s, its first failed item %s', 'failure_code', 'first_failure'),
    figures: {
      partly: `count(*) FILTER (WHERE failure_code = 'PARTIALLY_COMPLETED')`,
      failed: `count(*) FILTER (WHERE status = 'failed')`,
    },
    describe: ({ failed = 0n, partly = 0n }) => `${counted(failed, 'failed order')}, ${partly} partially completed`,
  },
  {
    name: 'item_suppliers',
    rows: itemsAndUnits,
    wrong: 'supplier_is_gone',
    example: itemText('names supplier %s, which does not exist', 'supplier_id'),
    describe: ({ checked = 0n }) => `${counted(checked, 'item')}, each of a supplier that exists`,
  },
  {
    name: 'unit_suppliers',
    rows: unitsAndAttempts,
    wrong: 'supplier_is_gone',
    example: `format('unit %s.%s of order %s or one of its attempts names a supplier that does not exist', item, unit,
                     order_number)`,
    describe: ({ checked = 0n }) => `${counted(checked, 'unit')}, each at a supplier that exists, as their attempts`,
  },
];
