import { rowsOf, statement } from '../../database/parameters.js';

/**
 * In SQL: whether it is one that the unit was not given, although it has the unit's reference: the one that the unit was given
 * is told beside it. By its name alone nobody could tell, since some call a purchase otherwise later.
 */
const IS_ANOTHER = `g.supplier_reference <> u.supplier_reference
    AND EXISTS (SELECT FROM given t WHERE t.reference = g.reference AND t.supplier_reference = u.supplier_reference)`;

/** In SQL: a purchase in the place of the answers of `judgeUnsettled`, of the attempt that it is. */
const attemptNamed = (isNamed: string): string => `
  SELECT a.order_id, a.item, a.unit, a.number AS attempt, g.supplier_reference, g.detail, g.cost_micros, g.cost_currency
  FROM given g
  JOIN unit_attempts a ON a.supplier_id IN (SELECT id FROM same_account) AND ${isNamed}
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit
  WHERE a.ended_as IS NOT NULL OR u.state = 'failed' OR u.state = 'succeeded' AND ${IS_ANOTHER}`;

/**
 * Those of the purchases that were sold, says the supplier, and that did not buy the unit of their attempt, say our books: the
 * unit failed, another attempt followed, or it has another one that the supplier sold under the same reference.
 */
export const FIND_SOLD_AFTER_ALL = statement(
  'sold_after_all.find',
  {
    supplierId: 'int',
    purchases: rowsOf({
      reference: 'text?',
      supplier_reference: 'text?',
      detail: 'text',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
    }),
  },
  ({ supplierId, purchases }) => `
    WITH given AS MATERIALIZED (SELECT * FROM ${purchases.as('g')}),
    same_account AS (
      SELECT s.id FROM suppliers s JOIN suppliers own USING (adapter, base_url, account) WHERE own.id = ${supplierId})
    ${attemptNamed('a.reference = g.reference')}
    UNION
    ${attemptNamed('g.reference IS NULL AND a.supplier_reference = g.supplier_reference AND NOT a.is_hearsay')}`,
);
