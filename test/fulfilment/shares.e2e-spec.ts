import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedUnit } from '../../src/fulfilment/claim.sql.js';
import { LIST_OVERDUE, TAKE_OVER_UNITS, UNDO_CLAIMS } from '../../src/fulfilment/units.repository.js';
import { SupplierShares } from '../../src/fulfilment/supplier-shares.js';
import { countByMerchant, nodesOf, SharesScene, type PlanNode } from './shares-scene.js';

const DUE = 'ix_order_units_due';

let scene: SharesScene;

beforeAll(async () => {
  scene = await SharesScene.make();
});

beforeEach(() => scene.clear());

afterAll(() => scene.stack.close());

/** Merchants with so many due units each. The first have waited longest. */
async function waiting(...queues: { units: number; weight?: number }[]): Promise<number[]> {
  const merchants: number[] = [];
  for (const [index, { units, weight }] of queues.entries()) {
    const merchant = await scene.merchant(weight);
    merchants.push(merchant);
    await scene.queue(merchant, units, 100 - index);
  }
  return merchants;
}

/** What each of the merchants got, in their order. */
const of = (merchants: number[], counts: Record<number, number>): number[] =>
  merchants.map((merchant) => counts[merchant] ?? 0);

/** How many entries of the index a plan read, those included that it left aside. */
const entriesRead = (plan: PlanNode): number =>
  nodesOf(plan)
    .filter((node) => node['Index Name'] === DUE)
    .map(
      (node) =>
        (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)) * Number(node['Actual Loops']),
    )
    .reduce((sum, entries) => sum + entries, 0);

describe('The free slots of a supplier', () => {
  it('are shared equally by the merchants with due units, however long the units of one have waited', async () => {
    const merchants = await waiting({ units: 1_000 }, { units: 10 });
    expect(of(merchants, await scene.claimed(10))).toEqual([5, 5]);
    expect(of(merchants, await scene.claimed(10))).toEqual([5, 5]);
    expect(of(merchants, await scene.claimed(10))).toEqual([10, 0]);
  });

  it('are shared by weight', async () => {
    const merchants = await waiting({ units: 100, weight: 3 }, { units: 100 }, { units: 100, weight: 6 });
    expect(of(merchants, await scene.claimed(50))).toEqual([15, 5, 30]);
  });

  it('go to one merchant if no other has due units', async () => {
    const merchants = await waiting({ units: 100 });
    expect(of(merchants, await scene.claimed(30))).toEqual([30]);
  });

  it('which merchants leave free are shared by weight between the others', async () => {
    const merchants = await waiting({ units: 200 }, { units: 2, weight: 96 }, { units: 200, weight: 3 });
    expect(of(merchants, await scene.claimed(100))).toEqual([25, 2, 73]);
    expect(of(merchants, await scene.claimed(100))).toEqual([25, 0, 75]);
  });

  it('buy all due units if they suffice', async () => {
    const merchants = await waiting({ units: 3 }, { units: 1 }, { units: 2 });
    expect(of(merchants, await scene.claimed(6))).toEqual([3, 1, 2]);
  });

  it('buy the oldest units of each merchant first', async () => {
    const merchant = await scene.merchant();
    await waiting({ units: 50 });
    for (const ago of [20, 30, 10]) await scene.queue(merchant, 2, ago);
    const claimed = async (): Promise<bigint[]> =>
      (await scene.claim(4)).filter(({ merchant_id }) => merchant_id === merchant).map(({ order_id }) => order_id);
    const [second, first, third] = (
      await scene.stack.sql<{ id: bigint }>('SELECT id FROM orders WHERE merchant_id = $1 ORDER BY id', [merchant])
    ).map(({ id }) => id);
    expect(await claimed()).toEqual([first, first]);
    expect(await claimed()).toEqual([second, second]);
    expect(await claimed()).toEqual([third, third]);
  });
});

describe('Shares smaller than one slot', () => {
  it('come round: each claim goes on where the one before ended', async () => {
    const merchants = await waiting({ units: 100 }, { units: 100, weight: 2 }, { units: 100, weight: 3 });
    const got: number[] = [];
    for (let claim = 0; claim < 12; claim++) got.push(...(await scene.claim(1)).map(({ merchant_id }) => merchant_id));
    const [one, two, three] = merchants;
    expect(got).toEqual([one, two, two, three, three, three, one, two, two, three, three, three]);
  });

  it('come round in claims of two slots', async () => {
    const merchants = await waiting({ units: 100 }, { units: 100 }, { units: 100 });
    const claims = [await scene.claimed(2), await scene.claimed(2), await scene.claimed(2)];
    expect(claims.map((counts) => of(merchants, counts))).toEqual([
      [1, 1, 0],
      [1, 0, 1],
      [0, 1, 1],
    ]);
  });

  it('leave nobody out where more merchants wait than there are slots', async () => {
    const merchants = await waiting(...Array.from({ length: 23 }, () => ({ units: 3 })));
    const got: ClaimedUnit[] = [];
    for (let claim = 0; claim < 5; claim++) got.push(...(await scene.claim(5)));
    const counts = of(merchants, countByMerchant(got));
    expect(counts.filter((count) => count === 2)).toHaveLength(2);
    expect(counts.filter((count) => count === 1)).toHaveLength(21);
  });

  it('give a merchant that comes the next slot but one', async () => {
    await waiting({ units: 100 });
    const whale = await scene.claim(1);
    const comes = await scene.merchant();
    await scene.queue(comes, 1, 0);
    const next = [...(await scene.claim(1)), ...(await scene.claim(1))];
    expect(whale).toHaveLength(1);
    expect(next.map(({ merchant_id }) => merchant_id)).toContain(comes);
  });

  it('follow a new weight at once', async () => {
    const merchants = await waiting({ units: 100 }, { units: 100 });
    expect(of(merchants, await scene.claimed(8))).toEqual([4, 4]);
    await scene.stack.sql(`UPDATE merchants SET weight = 3 WHERE id = $1`, [merchants[1]]);
    expect(of(merchants, await scene.claimed(8))).toEqual([2, 6]);
  });
});

describe('Two workers that claim at once', () => {
  /** The claims of both, of which the second begins and ends before the first is committed. */
  async function both(slots: number): Promise<ClaimedUnit[][]> {
    const first = await scene.connect();
    try {
      await first.query('BEGIN');
      const claims = [await scene.claim(slots, first)];
      scene.shares = new SupplierShares();
      claims.push(await scene.claim(slots));
      await first.query('COMMIT');
      return claims;
    } finally {
      await first.end();
    }
  }

  it('share as one does', async () => {
    const merchants = await waiting({ units: 100, weight: 4 }, { units: 100 });
    const [first = [], second = []] = await both(10);
    expect(of(merchants, countByMerchant(first))).toEqual([8, 2]);
    expect(of(merchants, countByMerchant(second))).toEqual([8, 2]);
    const units = [...first, ...second].map(({ order_id, unit }) => `${order_id}.${unit}`);
    expect(new Set(units).size).toBe(20);
  });

  it('fill their slots although the other has locked the units of merchants in line', async () => {
    const merchants = await waiting({ units: 1 }, { units: 1 }, { units: 1 }, { units: 1 }, { units: 1 });
    const [first = [], second = []] = await both(2);
    expect(of(merchants, countByMerchant(first))).toEqual([1, 1, 0, 0, 0]);
    expect(of(merchants, countByMerchant(second))).toEqual([0, 0, 1, 1, 0]);
  });
});

describe('Units without a merchant’s name', () => {
  it('are claimed first: leases that ended, and units that the previous version placed', async () => {
    const merchants = await waiting({ units: 100 }, { units: 3 }, { units: 2 });
    const [, gone, old] = merchants;
    await scene.stack.sql(
      `UPDATE order_units SET state = 'sending', next_action = 'inquire', claim = 1, claimed_by = 'gone/1', sends = 1,
              first_sent_at = now(), last_sent_at = now() WHERE merchant_id = $1`,
      [gone],
    );
    await scene.stack.sql(`UPDATE order_units SET merchant_id = NULL WHERE merchant_id = $1`, [old]);
    const units = await scene.claim(6);
    expect(of(merchants, countByMerchant(units))).toEqual([1, 3, 2]);
    expect(units.filter(({ merchant_id }) => merchant_id === gone).map(({ action }) => action)).toEqual(
      Array.from({ length: 3 }, () => 'inquire'),
    );
  });
});

describe('A claim among 50,000 due units of one merchant and 100 of another', () => {
  it('reads entries of the index in proportion to what it takes, and no more merchants than slots', async () => {
    const [whale = 0] = await waiting({ units: 50_000 }, { units: 100 });
    // Merchants behind them, which a claim of a few slots does not come to.
    for (let count = 0; count < 30; count++) await scene.queue(await scene.merchant(), 1, 1);
    await scene.stack.fill('ANALYZE order_units');
    for (const slots of [1, 10, 100]) {
      const plan = await scene.explain(slots);
      expect(entriesRead(plan)).toBeLessThanOrEqual(3 * slots + 3);
      const merchants = nodesOf(plan).filter((node) => String(node['Index Name']).endsWith('_merchants'));
      const probes = merchants.reduce((sum, node) => sum + Number(node['Actual Loops']), 0);
      expect(probes).toBeLessThanOrEqual(slots);
    }
    // Two slots for each, and half of what the thirty leave.
    expect((await scene.claimed(64))[whale]).toBe(17);
  });
});

describe.each(['credentials', 'ban'])('A claim at a supplier that is paused for %s', (reason) => {
  it('reads none of the units that wait, because none gets a call', async () => {
    await waiting({ units: 1_000 });
    await scene.stack.sql(`UPDATE suppliers SET pause_reason = $2, paused_at = now() WHERE id = $1`, [
      scene.supplierId,
      reason,
    ]);
    expect(entriesRead(await scene.explain(10))).toBeLessThan(10);
    expect(await scene.claim(10)).toEqual([]);
  });
});

describe('While 50,000 units of a merchant are due in an hour', () => {
  /** How many pages of the index of due units, and of the units that it found, a plan read. */
  const pagesRead = (plan: PlanNode): number =>
    nodesOf(plan)
      .filter((node) => node['Index Name'] === DUE)
      .reduce((sum, node) => sum + Number(node['Shared Hit Blocks']) + Number(node['Shared Read Blocks']), 0);

  /**
   * The conditions of scans that look for due units of a range of merchants. Up to PostgreSQL 17, such a scan reads all units of the
   * range. PostgreSQL 18 skips those that are due later.
   */
  const dueInRanges = (plan: PlanNode): string[] =>
    nodesOf(plan)
      .filter((node) => node['Index Name'] === DUE)
      .map((node) => String(node['Index Cond']))
      .filter((condition) => condition.includes('next_action_at <=') && !/END (= |IS NULL)/.test(condition));

  const later = async (): Promise<void> => {
    await scene.queue(await scene.merchant(), 50_000, -3_600);
    await scene.stack.fill('ANALYZE order_units');
  };

  it('a claim of the due units of another merchant does not read them', async () => {
    await later();
    const merchant = await scene.merchant();
    await scene.queue(merchant, 5);
    const plan = await scene.explain(10);
    expect(dueInRanges(plan)).toEqual([]);
    expect(pagesRead(plan)).toBeLessThan(100);
    expect(await scene.claimed(10)).toEqual({ [merchant]: 5 });
  });

  it('nor do the statements of a sweep', async () => {
    const sweep = async (): Promise<number[]> => [
      pagesRead(await scene.explainStatement(LIST_OVERDUE, [])),
      pagesRead(await scene.explainStatement(...UNDO_CLAIMS.with({ names: ['gone/1'], agoMs: 0n }))),
      pagesRead(await scene.explainStatement(...TAKE_OVER_UNITS.with({ processes: ['gone'], withGaps: [] }))),
    ];
    const before = await sweep();
    await later();
    expect(dueInRanges(await scene.explainStatement(LIST_OVERDUE, []))).toEqual([]);
    for (const [index, pages] of (await sweep()).entries()) expect(pages - (before[index] ?? NaN)).toBeLessThan(100);
  });
});
