import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationInterface } from 'typeorm';
import type { Database } from '../../src/database/database.js';
import type { HttpSupplier } from '../../src/suppliers/http/http-supplier.js';
import type { WebhookSender } from '../../src/webhooks/webhook-sender.js';
import { DEPOSIT_DEFECTS } from './deposit-defects.js';
import { ROUTING_DEFECTS } from './routing-defects.js';
import { applyChange, around, hasStatement, inStatement, readBuild, type Change, type Sources } from './seams.js';

/** A lease that ends during the call makes two workers handle the same unit, which is rare otherwise. */
const LEASE_OF_A_MOMENT = inStatement('units.claim', 'd.timeout_ms +', 'd.timeout_ms - 4400 +');

const NO_QUIET_PERIOD = inStatement('units.postpone', '- make_interval(secs => c.quiet_ms / 1000.0)', '');

/** Planted defects of the service, which the checks must find. */
const DEFECTS = {
  'timeout-refunds': [
    around<HttpSupplier['send']>('HttpSupplier.send', async (send, supplier, topUp) => {
      const startMs = performance.now();
      const outcome = await send(supplier, topUp);
      if (outcome.kind !== 'unknown' || performance.now() - startMs < supplier.timeoutMs - 10) return outcome;
      return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: outcome.detail };
    }),
  ],
  'reference-per-attempt': [
    inStatement(
      'units.claim',
      'coalesce(a.reference,',
      `coalesce(a.reference || CASE WHEN claimed.sends > 1 THEN 'r' || claimed.sends ELSE '' END,`,
    ),
  ],
  'acknowledged-before-commit': [
    hasStatement('placement.insert_orders'),
    around<Database['transaction']>(
      'Database.transaction',
      (transaction, work) =>
        new Promise((resolve, reject) => {
          const committed = transaction(async (tx) => {
            let isPlacement = false;
            const write = tx.write.bind(tx);
            tx.write = (statement, values) => {
              isPlacement ||= statement.name === 'placement.insert_orders';
              write(statement, values);
            };
            const result = await work(tx);
            if (isPlacement) {
              // After all other statements: once it has an answer, they have run.
              await tx.query({ name: 'defect.written', text: 'SELECT' });
              resolve(result);
              await new Promise((later) => setTimeout(later, 150));
            }
            return result;
          });
          committed.then(resolve, reject);
        }),
    ),
  ],
  'event-outside-transaction': [
    hasStatement('events.record'),
    around<Database['transaction']>('Database.transaction', async (transaction, work) => {
      let record: typeof work | undefined;
      const result = await transaction((tx) => {
        const query = tx.query.bind(tx);
        tx.query = (statement, values) => {
          if (statement.name !== 'events.record') return query(statement, values);
          record = (own) => own.query(statement, values);
          return Promise.resolve([]);
        };
        return work(tx);
      });
      if (record) setTimeout((late) => void transaction(late).catch(() => undefined), 150, record);
      return result;
    }),
  ],
  'held-not-released': [
    inStatement('settlement.move_money', 'held = held - c.leaving', 'held = held - (c.leaving - c.returned)'),
  ],
  // The same effect as `attempts` of a queue.
  'retry-by-rerun': [
    around<HttpSupplier['send']>('HttpSupplier.send', async (send, supplier, topUp) => {
      const outcome = await send(supplier, topUp);
      if (outcome.kind !== 'unknown') return outcome;
      return send(supplier, { ...topUp, reference: `${topUp.reference}r` });
    }),
  ],
  'resend-without-quiet-period': [NO_QUIET_PERIOD],
  'early-never-seen': [inStatement('units.postpone', '- make_interval(secs => c.began_ago_ms / 1000.0)', '')],
  'clock-step-ends-quiet': [inStatement('units.postpone', 'AND statement_timestamp() <= c.clock_limit', '')],
  'second-sale-untold': [
    inStatement(
      'settlement.judge_unsettled',
      `WHEN u.state = 'succeeded' AND c.supplier_reference
                       <> CASE WHEN u.supplier_reference IS DISTINCT FROM a.reference THEN u.supplier_reference
                               WHEN NOT a.is_hearsay THEN a.supplier_reference END
                       AND (c.queried_as IS NULL OR u.supplier_reference NOT IN (c.queried_as, a.reference)) THEN 'unknown_purchase'`,
      '',
    ),
  ],
  'claim-without-lock': [
    inStatement(
      'units.claim',
      'dueUnits(clockLimit)',
      `dueUnits(clockLimit).replaceAll('FOR NO KEY UPDATE SKIP LOCKED', '')`,
    ),
  ],
  'lease-by-local-clock': [
    inStatement(
      'units.claim',
      'statement_timestamp() + make_interval(secs => (d.timeout_ms',
      'to_timestamp(LOCAL_CLOCK) + make_interval(secs => (d.timeout_ms',
    ),
    around<Database['query']>('Database.query', (query, statement, values) => {
      const text = statement.text.replace('LOCAL_CLOCK', String(Date.now() / 1000));
      // The text differs each time, because a prepared statement has a name and one text.
      return query(text === statement.text ? statement : { name: '', text }, values);
    }),
  ],
  'settled-without-compare-and-set': [
    LEASE_OF_A_MOMENT,
    inStatement('settlement.settle_units', 'c.cancels OR u.state IN', 'true OR u.state IN'),
    around<MigrationInterface['up']>('Orders1763900000006.up', async (up, runner) => {
      await up(runner);
      await runner.query('DROP TRIGGER tg_order_units_ended ON order_units');
    }),
  ],
  // The same, without a quiet period. The remaining protection is that an answer settles only its own claim.
  'settled-without-claim': [
    LEASE_OF_A_MOMENT,
    NO_QUIET_PERIOD,
    inStatement('settlement.settle_units', `c.state = 'succeeded' OR u.claim = c.claim`, 'true'),
  ],
  'ended-attempts-not-compared': [inStatement('sold_after_all.list', 'WHERE own.id =', 'WHERE false AND own.id =')],
  'sent-to-another-address': [inStatement('units.claim', 'sent_to <> destination', 'false')],
  'inquiry-unseen-refunds': [
    around<HttpSupplier['inquire']>('HttpSupplier.inquire', async (inquire, supplier, reference) => {
      const outcome = await inquire(supplier, reference);
      if (outcome.kind !== 'never_seen') return outcome;
      return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: 'never seen' };
    }),
  ],
  'interrupted-deliveries-forgotten': [
    inStatement('webhook_deliveries.record_interrupted', 'NULL::int AS response_status', '200 AS response_status'),
  ],
  'body-per-attempt': [
    around<WebhookSender['send']>('WebhookSender.send', (send, url, message, secrets) => {
      const body = message.body.replace(/"timestamp":\d+/, `"timestamp":${message.timestamp}`);
      return send(url, { ...message, body }, secrets);
    }),
  ],
  ...ROUTING_DEFECTS,
  ...DEPOSIT_DEFECTS,
} satisfies Record<string, Change[]>;

export type DefectName = keyof typeof DEFECTS;

export const DEFECT_NAMES = Object.keys(DEFECTS) as DefectName[];

/** Plants defects in the build in this directory. @returns the files that it changed. @throws if a defect does not match the build. */
export function plantDefects(directory: string, names: readonly DefectName[]): string[] {
  const sources = readBuild(directory);
  const changed = [...names.reduce(breakIn, sources)].filter(([path, text]) => text !== sources.get(path));
  for (const [path, text] of changed) writeFileSync(join(directory, path), text);
  return changed.map(([path]) => path);
}

/** @throws with every defect that does not match the build, and the reason. */
export function assertDefectsFit(directory: string): void {
  const sources = readBuild(directory);
  const misfits = DEFECT_NAMES.flatMap((name) => {
    try {
      breakIn(sources, name);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  if (misfits.length > 0) throw new Error(`${misfits.join('\n')}\n${WHAT_TO_DO}`);
}

const WHAT_TO_DO = `Change test/chaos/defects.ts so that these break the build in the same way as before, and run each with its seed of
test/chaos/README.md, or with --deposits, to see that it is still found.`;

function breakIn(sources: Sources, name: DefectName): Sources {
  try {
    return DEFECTS[name].reduce(applyChange, sources);
  } catch (error) {
    throw new Error(`The defect ${name} does not fit the build: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
