import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Defect {
  file: string;
  from: string;
  to: string;
}

/** Ways to break the service, to see that the checks notice: each replaces a text in a copy of the build. */
const DEFECTS = {
  'timeout-refunds': [
    {
      file: 'dist/src/fulfilment/http-supplier.js',
      from: "{ kind: 'unknown', detail };",
      to: "{ kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: detail };",
    },
  ],
  'reference-per-attempt': [
    {
      file: 'dist/src/fulfilment/unit-dispatcher.js',
      from: 'const reference = unitReference(task.order_number, task);\n        let token',
      to: "const reference = unitReference(task.order_number, task) + (task.sends > 1 ? `r${task.sends}` : '');\n        let token",
    },
  ],
  'acknowledged-before-commit': [
    {
      file: 'dist/src/database/database.js',
      from: "await client.query('COMMIT');",
      to: `handedOver = true;
           setTimeout(() => client.query('COMMIT').then(() => client.release(), (e) => client.release(e)), 150);`,
    },
    {
      file: 'dist/src/database/database.js',
      from: 'client.release(broken);',
      to: 'if (!handedOver) client.release(broken);',
    },
    { file: 'dist/src/database/database.js', from: 'let broken;', to: 'let broken, handedOver = false;' },
  ],
  // A lease that ends during the call makes two workers meet, which is rare otherwise.
  'settled-without-compare-and-set': [
    {
      file: 'dist/src/fulfilment/unit-dispatcher.js',
      from: 'this.process, LEASE_MARGIN_MS]',
      to: 'this.process, LEASE_MARGIN_MS - 4_400]',
    },
    {
      file: 'dist/src/orders/settlement.sql.js',
      from: "AND u.state IN (${quoted(sourcesOf(UNIT_TRANSITIONS, 'succeeded', 'failed'))})",
      to: '',
    },
    {
      file: 'dist/src/database/migrations/1763650000003-orders.js',
      from: "['order_units', 'state', `'succeeded', 'failed'`],",
      to: '',
    },
  ],
  'inquiry-unseen-refunds': [
    {
      file: 'dist/src/fulfilment/http-answers.js',
      from: "return { kind: 'never_seen' };",
      to: "return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: 'never seen' };",
    },
  ],
  'interrupted-deliveries-forgotten': [
    {
      file: 'dist/src/webhooks/dispatch.sql.js',
      from: "NULL::int AS response_status, 'interrupted' AS error",
      to: "200 AS response_status, 'interrupted' AS error",
    },
  ],
  'body-per-attempt': [
    {
      file: 'dist/src/webhooks/webhook-dispatcher.js',
      from: '{ id: event_id, timestamp, body }',
      to: '{ id: event_id, timestamp, body: body.replace(/"timestamp":\\d+/, \'"timestamp":\' + timestamp) }',
    },
  ],
} satisfies Record<string, Defect[]>;

export type DefectName = keyof typeof DEFECTS;

export const DEFECT_NAMES = Object.keys(DEFECTS) as DefectName[];

/** @throws when the build does not hold the text that the defect replaces. */
export function plantDefect(directory: string, name: DefectName): void {
  for (const { file, from, to } of DEFECTS[name]) {
    const path = join(directory, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`the defect ${name} no longer fits ${file}`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
}
