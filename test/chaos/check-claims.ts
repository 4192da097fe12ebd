import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { QUIET_PERIOD_MS } from './schedule.js';
import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

/** Rules about claims and sends, each as a query of the timeline for the units that break it. */
const BROKEN: Record<string, string> = {
  // An answer that makes a unit wait for another send is recorded in the same transaction.
  'a unit is sent again only after a refusal to take it, or when the supplier says that it never saw it': `
    SELECT * FROM sent WHERE sends > 1 + not_accepted + never_seen`,
};

/** Rules that need a right clock of the database. */
const BROKEN_BY_TIME: typeof BROKEN = {
  'a unit is sent again only when its supplier has been quiet for long enough': `
    SELECT * FROM sent WHERE sends > 1 AND not_accepted = 0
      AND last_sent_at - first_sent_at < (sends - 1) * make_interval(secs => ${QUIET_PERIOD_MS / 1000})`,
  'what a supplier never saw counts when it was asked after that': `
    SELECT * FROM sent WHERE sends > 1 AND not_accepted = 0
      AND last_unseen_at - first_sent_at
            < (sends - 1) * make_interval(secs => ${QUIET_PERIOD_MS / 1000}) - interval '50 milliseconds'`,
};

/** Units with one attempt, and not at a vendor that is queried by another send, because its journal is checked instead. */
const SENT = `
  SELECT o.order_number || '.' || u.item || '.' || u.unit AS reference, u.state, u.sends, u.first_sent_at, u.last_sent_at,
         count(*) FILTER (WHERE c.outcome = 'not_accepted') AS not_accepted,
         count(*) FILTER (WHERE c.outcome = 'never_seen') AS never_seen,
         max(c.ended_at - c.duration_ms * interval '1 millisecond') FILTER (WHERE c.outcome = 'never_seen') AS last_unseen_at,
         json_agg(json_build_object('kind', c.kind, 'outcome', c.outcome, 'process', c.process, 'ended_at', c.ended_at,
                                    'duration_ms', c.duration_ms) ORDER BY c.ended_at, c.id) AS calls
  FROM order_units u JOIN orders o ON o.id = u.order_id
  LEFT JOIN ${SUPPLIER_CALLS} c ON c.order_id = u.order_id AND c.item = u.item AND c.unit = u.unit
  WHERE u.attempt = 1 AND NOT EXISTS (SELECT FROM unit_attempts a JOIN suppliers s ON s.id = a.supplier_id
                    WHERE a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND s.adapter <> 'http')
  GROUP BY o.id, u.order_id, u.item, u.unit`;

/** Checks that PostgreSQL alone decided which worker sends, and when (contract, section 8, rules 3 and 5). */
export async function checkClaims(system: ChaosSystem, clockWasSet: boolean, violations: Violations): Promise<void> {
  const rules = { ...BROKEN, ...(clockWasSet ? {} : BROKEN_BY_TIME) };
  for (const [rule, query] of Object.entries(rules)) {
    const rows = await system.sql(`WITH sent AS (${SENT}) ${query}`);
    for (const row of rows) violations.add('supplier', `not so: ${rule}`, row);
  }
}
