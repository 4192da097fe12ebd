import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters } from '../support/calling-supplier.js';
import { CallbackScene, type OpenUnit } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start();
});

afterAll(() => closeWithBalancedBooks(scene.stack));

interface Case {
  id: number;
  kind: string;
  status: string;
  detail: string | null;
}

const cases = ({ order }: OpenUnit): Promise<Case[]> =>
  scene.stack.sql<Case>(
    `SELECT r.id, r.kind, r.status, r.detail FROM supplier_reversals r JOIN orders o ON o.id = r.order_id
     WHERE o.order_number = $1 ORDER BY r.id`,
    [order.order_number],
  );

const closeAll = (): Promise<object[]> =>
  scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE status = 'open'`);

/** Sends a callback about a unit's outcome. @returns the callback's effect. */
async function says(unit: OpenUnit, word: 'succeeded' | 'failed', deliveryId?: string): Promise<string | undefined> {
  const { reference } = unit;
  const more = deliveryId === undefined ? {} : { deliveryId };
  const failed = { kind: 'failed', code: 'SUPPLIER_REJECTED', message: 'refunded' };
  if (word === 'succeeded') await scene.succeed('signing', reference, more);
  else await scene.call('signing', { kind: 'about', reference, outcome: failed, ...more });
  return (await scene.last('signing'))?.verdict;
}

describe('a discrepancy about a purchase', () => {
  it('is updated with the supplier’s latest report while it is open', async () => {
    const unit = await scene.openUnit('signing');
    expect(await says(unit, 'failed')).toBe('settled');
    expect(await says(unit, 'succeeded')).toBe('contradicted');
    expect(await cases(unit)).toMatchObject([{ kind: 'bought_late', status: 'open' }]);
    expect(await says(unit, 'failed')).toBe('contradicted');
    expect(await says(unit, 'failed')).toBe('nothing_new');
    expect(await cases(unit)).toMatchObject([
      {
        kind: 'bought_late',
        status: 'open',
        detail: 'the supplier now reports failed: SUPPLIER_REJECTED: refunded',
      },
    ]);
    await closeAll();
    expect(await says(unit, 'failed')).toBe('nothing_new');
    expect(await cases(unit)).toHaveLength(1);
  });

  it('is followed by a new one each time the supplier contradicts itself after it was closed', async () => {
    const unit = await scene.openUnit('signing');
    await says(unit, 'succeeded');
    const kinds = ['taken_back', 'bought_late', 'taken_back', 'bought_late'];
    for (const [index, kind] of kinds.entries()) {
      const word = kind === 'taken_back' ? 'failed' : 'succeeded';
      expect([index, await says(unit, word)]).toEqual([index, 'contradicted']);
      expect([index, await says(unit, word)]).toEqual([index, 'nothing_new']);
      await closeAll();
      expect([index, await says(unit, word)]).toEqual([index, 'nothing_new']);
    }
    expect((await cases(unit)).map(({ kind }) => kind)).toEqual(kinds);
    expect(await scene.unit(unit)).toMatchObject({ state: 'succeeded' });
  });

  it('does not change by a repeated callback', async () => {
    const unit = await scene.openUnit('signing');
    await says(unit, 'succeeded', `first-${unit.reference}`);
    await says(unit, 'failed', `second-${unit.reference}`);
    await closeAll();
    expect(await says(unit, 'succeeded', `first-${unit.reference}`)).toBe('repeated');
    expect(await cases(unit)).toMatchObject([{ kind: 'taken_back', status: 'closed' }]);
  });
});
