import { describe, expect, it } from '@jest/globals';
import { FAILURE_CODES } from '../../core/failures.js';
import type { Attempt } from '../supplier-adapter.js';
import type { SandboxPurchase } from '../supplier-adapter.js';
import { SandboxSupplier } from './sandbox-supplier.js';

const SETTINGS = { timeoutMs: 50 };
const supplier = new SandboxSupplier();

function attempt(userId: string, given: Partial<SandboxPurchase> = {}, of: Partial<Attempt> = {}): Attempt {
  return {
    reference: 'ord_Np3O7rcsqNmBTwD7.1.1',
    sku: 'MLBB-86',
    userId,
    serverId: null,
    characterId: null,
    endUserIp: null,
    playerTemplate: null,
    maxCost: null,
    expectedCost: null,
    supplierReference: null,
    isRepeat: false,
    sandbox: { kind: 'topup', userId, unitNumber: 1, ageMs: 0, ...given },
    ...of,
  };
}

const sent = async (...given: Parameters<typeof attempt>): Promise<string> =>
  (await supplier.send(SETTINGS, attempt(...given))).kind;
const asked = async (...given: Parameters<typeof attempt>): Promise<string> =>
  (await supplier.inquiry.query(SETTINGS, attempt(...given))).kind;

describe('the built-in supplier of the sandbox', () => {
  it.each([
    ['player-1', 'succeeded', 'succeeded'],
    ['sim-fail-out_of_stock', 'failed', 'failed'],
    ['sim-drop-succeed', 'unknown', 'succeeded'],
    ['sim-drop-fail', 'unknown', 'failed'],
    ['sim-500-succeed', 'unknown', 'succeeded'],
    ['sim-500-fail', 'unknown', 'failed'],
    ['sim-garbage-succeed', 'unknown', 'succeeded'],
    ['sim-lost', 'unknown', 'never_seen'],
    ['sim-slow-20', 'succeeded', 'processing'],
    ['sim-slow-60', 'processing', 'processing'],
    ['sim-processing-60', 'processing', 'processing'],
    ['sim-processing-0', 'succeeded', 'succeeded'],
    ['sim-slow', 'succeeded', 'succeeded'],
    ['sim-partial-0', 'failed', 'failed'],
    ['sim-partial-1', 'succeeded', 'succeeded'],
    [' sim-lost', 'succeeded', 'succeeded'],
  ])('answers a send for %s with %s, and an inquiry at once with %s', async (userId, send, inquiry) => {
    expect([await sent(userId), await asked(userId)]).toEqual([send, inquiry]);
  });

  it.each(['sim-slow-60', 'sim-processing-60'])('has sold to %s after the time', async (userId) => {
    expect([await asked(userId, { ageMs: 59 }), await asked(userId, { ageMs: 60 })]).toEqual([
      'processing',
      'succeeded',
    ]);
  });

  it('refuses with each failure code of a unit', async () => {
    for (const code of FAILURE_CODES.filter((each) => each !== 'PARTIALLY_COMPLETED')) {
      const outcome = await supplier.send(SETTINGS, attempt(`sim-fail-${code.toLowerCase()}`));
      expect(outcome).toMatchObject({ kind: 'failed', code });
      // The refusal allows no other attempt.
      expect(outcome).not.toHaveProperty('failover');
    }
    const other = await supplier.send(SETTINGS, attempt('sim-fail-partially_completed'));
    expect(other).toMatchObject({ kind: 'failed', code: 'SUPPLIER_REJECTED' });
  });

  it('has the same reference and code for an attempt in every answer', async () => {
    const of = attempt('player-1', { kind: 'code' });
    const reported = await supplier.send(SETTINGS, of);
    expect(await new SandboxSupplier().inquiry.query(SETTINGS, of)).toEqual(reported);
    expect(reported).toMatchObject({
      deliveries: [{ code: expect.stringMatching(/^SANDBOX(-[0-9A-F]{4}){3}$/) as unknown, expiresOn: '2099-12-31' }],
    });
    const other = await supplier.send(SETTINGS, attempt('player-1', { kind: 'code' }, { reference: 'ord_x.1.2' }));
    expect(other).not.toEqual(reported);
  });

  it('delivers no code for a top-up', async () => {
    expect(await supplier.send(SETTINGS, attempt('player-1'))).not.toHaveProperty('deliveries');
  });

  it('leaves attempts of live merchants in doubt', async () => {
    const { sandbox: _sandbox, ...live } = attempt('sim-fail-out_of_stock');
    expect((await supplier.send(SETTINGS, live)).kind).toBe('unknown');
    expect((await supplier.inquiry.query(SETTINGS, live)).kind).toBe('unknown');
  });
});
