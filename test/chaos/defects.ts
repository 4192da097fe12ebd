import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Defect {
  file: string;
  from: string;
  to: string;
}

/** How a claim of units is told how much longer than the supplier's timeout it holds. */
const LEASE = 'name,\n            LEASE_MARGIN_MS,\n        ])';
const LEASE_OF_A_MOMENT = 'name,\n            LEASE_MARGIN_MS - 4_400,\n        ])';

/** Ways to break the service, to see that the checks notice: each replaces a text in a copy of the build. */
const DEFECTS = {
  'timeout-refunds': [
    {
      file: 'dist/src/suppliers/http/http-supplier.js',
      from: "{ kind: 'unknown', detail };",
      to: "{ kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: detail };",
    },
  ],
  'reference-per-attempt': [
    {
      file: 'dist/src/fulfilment/supplier-caller.js',
      from: 'const reference = unitReference(unit.order_number, unit);',
      to: "const reference = unitReference(unit.order_number, unit) + (unit.sends > 1 ? `r${unit.sends}` : '');",
    },
  ],
  'acknowledged-before-commit': [
    {
      file: 'dist/src/database/database.js',
      from: "const committed = this.send('COMMIT');",
      to: `if (this.isPlacement) {
             for (const answer of this.answers) await answer;
             const { client } = this;
             const end = () => client.query('COMMIT').then(() => client.release(), (e) => client.release(e));
             this.isHandedOver = true;
             setTimeout(end, 150);
             return;
           }
           const committed = this.send('COMMIT');`,
    },
    {
      file: 'dist/src/database/database.js',
      from: 'write(statement, values = []) {',
      to: `write(statement, values = []) {
             this.isPlacement ||= statement.name === 'placement.insert_orders';`,
    },
    {
      file: 'dist/src/database/database.js',
      from: 'client.release(broken);',
      to: 'if (!tx.isHandedOver) client.release(broken);',
    },
  ],
  'event-outside-transaction': [
    {
      file: 'dist/src/orders/settle-batch.js',
      from: 'return { outcomes, ended, webhooks: recordEvents(tx, events) };',
      to: 'return { outcomes, ended, webhooks: Promise.resolve(events) };',
    },
    {
      file: 'dist/src/orders/order-settlement.js',
      from: 'import { GroupCommit, locked }',
      to: "import { recordEvents } from '../events/event-log.js'; import { GroupCommit, locked }",
    },
    {
      file: 'dist/src/orders/order-settlement.js',
      from: 'this.notifier.notifyWebhooks(await webhooks);',
      to: `const events = await webhooks;
           if (events.length > 0)
             this.notifier.notifyWebhooks(await this.database.transaction((tx) => recordEvents(tx, events)));`,
    },
  ],
  'held-not-released': [
    {
      file: 'dist/src/orders/settle-batch.js',
      from: 'wallet.leaving += outcome.refunded + outcome.spent;',
      to: 'wallet.leaving += outcome.spent;',
    },
  ],
  // As a queue's own `attempts` would.
  'retry-by-rerun': [
    {
      file: 'dist/src/fulfilment/supplier-caller.js',
      from: 'const outcome = await this.ask(unit);',
      to: `let outcome = await this.ask(unit);
           if (unit.action === 'send' && outcome.kind === 'unknown')
             outcome = await this.ask({ ...unit, order_number: unit.order_number + 'r' });`,
    },
  ],
  'resend-without-quiet-period': [
    {
      file: 'dist/src/fulfilment/units.sql.js',
      from: 'AND u.last_sent_at <= statement_timestamp() - make_interval(secs => c.quiet_ms / 1000.0)',
      to: 'AND c.quiet_ms IS NOT NULL',
    },
  ],
  'claim-without-lock': [
    {
      file: 'dist/src/fulfilment/units.sql.js',
      from: 'ORDER BY next_action_at LIMIT lane.room FOR NO KEY UPDATE SKIP LOCKED) found',
      to: 'ORDER BY next_action_at LIMIT lane.room) found',
    },
  ],
  'lease-by-local-clock': [
    {
      file: 'dist/src/fulfilment/units.sql.js',
      from: 'THEN statement_timestamp() + make_interval(secs => (d.timeout_ms + $5::int) / 1000.0) END',
      to: 'THEN to_timestamp((d.timeout_ms + $5::float8) / 1000.0) END',
    },
    {
      file: 'dist/src/fulfilment/unit-dispatcher.js',
      from: LEASE,
      to: 'name,\n            Date.now() + LEASE_MARGIN_MS,\n        ])',
    },
  ],
  // A lease that ends during the call makes two workers meet, which is rare otherwise.
  'settled-without-compare-and-set': [
    {
      file: 'dist/src/fulfilment/unit-dispatcher.js',
      from: LEASE,
      to: LEASE_OF_A_MOMENT,
    },
    {
      file: 'dist/src/orders/settlement.sql.js',
      from: "AND (c.cancels OR u.state IN (${quoted(sourcesOf(UNIT_TRANSITIONS, 'succeeded', 'failed'))}))",
      to: '',
    },
    {
      file: 'dist/src/database/migrations/1763650000003-orders.js',
      from: "['order_units', 'state', `'succeeded', 'failed'`],",
      to: '',
    },
  ],
  // The same, and no quiet period: what is left is that an answer settles only its own claim.
  'settled-without-claim': [
    {
      file: 'dist/src/fulfilment/unit-dispatcher.js',
      from: LEASE,
      to: LEASE_OF_A_MOMENT,
    },
    {
      file: 'dist/src/fulfilment/outcome-recorder.js',
      from: 'safeQuietPeriodMs(this.config.SUPPLIER_QUIET_PERIOD_MS, timeout_ms)',
      to: '0',
    },
    {
      file: 'dist/src/orders/settlement.sql.js',
      from: "ELSE c.state = 'succeeded' OR u.claim = c.claim END",
      to: 'ELSE true END',
    },
  ],
  'sent-to-another-address': [
    {
      file: 'dist/src/fulfilment/units.sql.js',
      from: 'AND due.sent_to <> s.base_url',
      to: 'AND false',
    },
  ],
  'inquiry-unseen-refunds': [
    {
      file: 'dist/src/suppliers/http/http-answers.js',
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
      from: 'body: task.body };',
      to: 'body: task.body.replace(/"timestamp":\\d+/, () => \'"timestamp":\' + Math.floor(startedAt.getTime() / 1000)) };',
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

/** Where a defect's text is not in the build any more, as name and file. */
export function findMisfits(directory: string): string[] {
  return DEFECT_NAMES.flatMap((name) =>
    DEFECTS[name]
      .filter(({ file, from }) => !readFileSync(join(directory, file), 'utf8').includes(from))
      .map(({ file }) => `${name}: ${file}`),
  );
}
