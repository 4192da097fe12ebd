import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import type { Clients, DeliveredCode } from './clients.js';
import { readSold } from './sold.js';
import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

/** Units of codes. A unit that only the operator knew as bought (`is_resolved`) has no code. */
const CARDS = `
  SELECT o.merchant_id, o.reference_id, u.item, u.unit, u.state, a.reference,
         EXISTS (SELECT FROM operator_actions WHERE action = 'order.resolve' AND order_id = o.id) AS is_resolved
  FROM order_units u
  JOIN orders o ON o.id = u.order_id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item AND i.kind = 'code'
  LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt`;

interface Card {
  merchant_id: number;
  reference_id: string;
  item: number;
  unit: number;
  state: string;
  reference: string | null;
  is_resolved: boolean;
}

/** Compares the codes that merchants got with those that vendors sold, and looks for codes in forbidden places. */
export async function checkCodes(
  system: ChaosSystem,
  clients: Clients,
  merchantIds: number[],
  violations: Violations,
): Promise<void> {
  const sold = new Map((await readSold(system)).map((each) => [each.reference, each]));
  const delivered = await readCodes(clients, merchantIds);
  const handedOver = new Map<string, Card>();
  for (const card of await system.sql<Card>(CARDS)) {
    const key = [card.merchant_id, card.reference_id, card.item].join(' ');
    const got = (delivered.get(key) ?? []).filter(({ unit }) => unit === card.unit).map(({ code }) => code);
    const codes = card.state === 'succeeded' ? (sold.get(card.reference ?? '')?.codes ?? []) : [];
    const isAsSold = got.length === codes.length && codes.every((code) => got.includes(code));
    if (!isAsSold && !(card.is_resolved && got.length === 0)) {
      violations.add('supplier', 'what was handed over is not what the vendor sold', { card, got, codes });
    }
    for (const code of got) {
      if (code === null) continue;
      const other = handedOver.get(code);
      if (other) violations.add('supplier', 'a code was handed over twice', { card, other });
      handedOver.set(code, card);
    }
  }
  const codes = [...sold.values()].flatMap((each) => each.codes);
  checkLogs(system, codes, violations);
  await checkTimelines(system, codes, violations);
}

/** A key of merchant, reference and item. */
async function readCodes(clients: Clients, merchantIds: number[]): Promise<Map<string, DeliveredCode[]>> {
  const codes = new Map<string, DeliveredCode[]>();
  for (const history of clients.histories) {
    if (!history.plan.items.some(({ sku }) => sku.endsWith('-CODE'))) continue;
    const answer = await clients.readAtLast(history);
    for (const [index, { deliveries = [] }] of (answer?.body.items ?? []).entries()) {
      const { merchant, reference } = history.plan;
      codes.set([merchantIds[merchant], reference, index + 1].join(' '), deliveries);
    }
  }
  return codes;
}

/** The logs of the service's own processes. The simulators may write codes. */
function checkLogs({ logs, vendors }: ChaosSystem, codes: string[], violations: Violations): void {
  const simulators = new Set([
    'simulator.log',
    'other-simulator.log',
    ...vendors.map(({ kind }) => `${kind.code}.log`),
  ]);
  for (const name of readdirSync(logs).filter((each) => each.endsWith('.log') && !simulators.has(each))) {
    const text = readFileSync(join(logs, name), 'utf8');
    for (const code of codes.filter((each) => text.includes(each))) {
      const line = text.split('\n').find((each) => each.includes(code));
      violations.add('supplier', 'a code is in a log', { name, line });
    }
  }
}

/** Looks for codes in columns that are stored unsealed. */
async function checkTimelines(system: ChaosSystem, codes: string[], violations: Violations): Promise<void> {
  const rows = await system.sql(
    `SELECT c.order_id, c.kind, c.outcome, c.detail FROM ${SUPPLIER_CALLS} c, unnest($1::text[]) AS code
     WHERE strpos(c.detail, code) > 0
     UNION ALL
     SELECT a.order_id, 'attempt', a.ended_as, a.failure_message FROM unit_attempts a, unnest($1::text[]) AS code
     WHERE strpos(concat_ws(' ', a.failure_message, a.supplier_reference), code) > 0`,
    [codes],
  );
  for (const row of rows) violations.add('supplier', 'a code is kept that is not sealed', row);
}
