import type { SupplierCaller } from '../../src/fulfilment/supplier-caller.js';
import type { SupplierCallbacksService } from '../../src/fulfilment/callbacks/supplier-callbacks.service.js';
import type { DigiflazzSupplier } from '../../src/suppliers/digiflazz/digiflazz-supplier.js';
import type { SeagmSupplier } from '../../src/suppliers/seagm/seagm-supplier.js';
import type { SupplierPausesService } from '../../src/suppliers/supplier-pauses.service.js';
import type { SupplierRegistry } from '../../src/suppliers/supplier-registry.js';
import type { WepaySupplier } from '../../src/suppliers/wepay/wepay-supplier.js';
import { around, inStatement, type Change } from './seams.js';

/** Planted defects of purchases at vendors: attempts, repeats, callbacks and pauses. */
export const ROUTING_DEFECTS = {
  'failover-on-unknown': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'unknown' || attempt.isRepeat) return outcome;
      return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: outcome.detail, failover: true };
    }),
  ],
  '504-refunds': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'unknown' || outcome.detail !== 'HTTP 504') return outcome;
      return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: outcome.detail };
    }),
  ],
  'not-unique-refunds': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'unknown' || !outcome.detail.startsWith('rc 49')) return outcome;
      return { kind: 'failed', code: 'SUPPLIER_REJECTED', message: outcome.detail };
    }),
  ],
  'low-deposit-on-a-repeat-refunds': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'unknown' || !outcome.detail.startsWith('rc 44')) return outcome;
      return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: outcome.detail };
    }),
  ],
  'first-timeout-counts': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      return outcome.kind === 'failed' ? { ...outcome, confirm: false } : outcome;
    }),
  ],
  'repeat-with-another-body': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', (send, settings, attempt) =>
      send(settings, attempt.isRepeat ? { ...attempt, maxCost: null } : attempt),
    ),
  ],
  'repeat-after-20-seconds': [
    around<SupplierCaller['call']>('SupplierCaller.call', async (call, unit, leaseEndMs) => {
      const ended = await call(unit, leaseEndMs);
      return ended.minGapMs === 0 ? ended : { ...ended, firstMs: 20_000, minGapMs: 20_000 };
    }),
  ],
  'repeat-after-85-days': [
    inStatement('units.claim', 'make_interval(secs => max_age_ms / 1000.0)', 'make_interval(days => 3650)'),
  ],
  'limit-above-the-price': [
    around<DigiflazzSupplier['send']>('DigiflazzSupplier.send', (send, settings, attempt) => {
      const { maxCost } = attempt;
      return send(settings, { ...attempt, maxCost: maxCost && { ...maxCost, micros: maxCost.micros * 2n } });
    }),
  ],
  'answer-settles-a-later-attempt': [
    inStatement('settlement.settle_units', 'c.attempt IS NULL OR u.attempt = c.attempt', 'true'),
  ],
  'signature-of-what-is-written-anew': [
    around<SupplierCallbacksService['receive']>(
      'SupplierCallbacksService.receive',
      (receive, supplier, raw, address) => {
        if (supplier.adapter !== 'digiflazz') return receive(supplier, raw, address);
        const body = Buffer.from(JSON.stringify(JSON.parse(raw.body.toString())));
        return receive(supplier, { ...raw, body }, address);
      },
    ),
  ],
  'unsigned-callback-settles': [
    around<SupplierRegistry['connect']>('SupplierRegistry.connect', (connect, supplier) => {
      const { adapter, settings } = connect(supplier);
      const { callbacks } = adapter;
      if (!callbacks || supplier.adapter !== 'digiflazz') return { adapter, settings };
      const { createHmac } = process.getBuiltinModule('node:crypto');
      const { webhookSecret } = settings as { webhookSecret: string };
      const read: typeof callbacks.read = (raw, given) => {
        const signature = `sha1=${createHmac('sha1', webhookSecret).update(raw.body).digest('hex')}`;
        const { 'x-hub-signature': signed = signature } = raw.headers;
        return callbacks.read({ ...raw, headers: { ...raw.headers, 'x-hub-signature': signed } }, given);
      };
      return {
        settings,
        adapter: Object.create(adapter, { callbacks: { value: { read } } }) as typeof adapter,
      };
    }),
  ],
  'repeated-reference-refunds': [
    around<WepaySupplier['send']>('WepaySupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'unknown' || !outcome.waitsForCallback) return outcome;
      return { kind: 'failed', code: 'SUPPLIER_REJECTED', message: outcome.detail };
    }),
  ],
  'accepted-is-sold': [
    around<WepaySupplier['send']>('WepaySupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'processing') return outcome;
      const { supplierReference = null, ...reported } = outcome;
      return { ...reported, kind: 'succeeded', supplierReference };
    }),
  ],
  '504-fails-at-seagm': [
    around<SeagmSupplier['send']>('SeagmSupplier.send', async (send, settings, attempt) => {
      const outcome = await send(settings, attempt);
      if (outcome.kind !== 'unknown' || outcome.detail !== 'HTTP 504') return outcome;
      return { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: outcome.detail, failover: true };
    }),
  ],
  // Accepts a callback by its content, without a proof of its sender.
  'unproven-callback-settles': [
    around<SupplierRegistry['connect']>('SupplierRegistry.connect', (connect, supplier) => {
      const { adapter, settings } = connect(supplier);
      const { callbacks } = adapter;
      if (!callbacks || !['wepay', 'lapakgaming'].includes(supplier.adapter)) return { adapter, settings };
      const read: typeof callbacks.read = (raw, given) => {
        const reading = callbacks.read(raw, given);
        const said = /status(?:=|":")(2|SUCCESS|4|REFUNDED)\b/.exec(raw.body.toString());
        if (reading.kind !== 'about' || !said) return reading;
        const isSold = said[1] === '2' || said[1] === 'SUCCESS';
        return {
          ...reading,
          outcome: isSold
            ? { kind: 'succeeded', supplierReference: reading.supplierReference ?? null }
            : { kind: 'failed', code: 'SUPPLIER_REJECTED', message: 'says the callback', failover: true },
        };
      };
      return {
        settings,
        adapter: Object.create(adapter, { callbacks: { value: { ...callbacks, read } } }) as typeof adapter,
      };
    }),
  ],
  'code-in-a-log-line': [
    around<SupplierCaller['call']>('SupplierCaller.call', async (call, unit, leaseEndMs) => {
      const ended = await call(unit, leaseEndMs);
      console.log(
        JSON.stringify({ answered: unit.reference, outcome: ended.outcome }, (_, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      );
      return ended;
    }),
  ],
  'no-pause-at-a-refused-key': [
    around<SupplierPausesService['begin']>('SupplierPausesService.begin', () => Promise.resolve()),
  ],
} satisfies Record<string, Change[]>;
