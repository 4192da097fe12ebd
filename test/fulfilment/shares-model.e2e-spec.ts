import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Random } from '../chaos/random.js';
import { countByMerchant, SharesScene } from './shares-scene.js';

let scene: SharesScene;

beforeAll(async () => {
  scene = await SharesScene.make();
});

afterAll(() => scene.stack.close());

interface Waiting {
  id: number;
  weight: number;
  due: number;
}

/** One to six merchants at a new supplier, with units between these numbers. */
async function someMerchants(random: Random, fewest: number, most: number): Promise<Waiting[]> {
  await scene.clear();
  const merchants: Waiting[] = [];
  for (let count = random.int(1, 6); count > 0; count--) {
    const [weight, due] = [random.int(1, 5), random.int(fewest, most)];
    const id = await scene.merchant(weight);
    await scene.queue(id, due);
    merchants.push({ id, weight, due });
  }
  return merchants;
}

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);

describe('Claims of any size, by merchants of any weight', () => {
  it.each(SEEDS)('deal the slots out in turns while all merchants have due units: seed %i', async (seed) => {
    const random = new Random(seed);
    const merchants = await someMerchants(random, 150, 200);
    // The merchant of each slot of a round.
    const round = merchants.flatMap(({ id, weight }) => Array.from({ length: weight }, () => id));
    let dealt = 0;
    for (let claim = 0; claim < 10; claim++) {
      const slots = random.int(1, 14);
      const expected = Array.from({ length: slots }, (_, slot) => ({
        merchant_id: round[(dealt + slot) % round.length] ?? NaN,
      }));
      expect(await scene.claimed(slots)).toEqual(countByMerchant(expected));
      dealt += slots;
    }
  });

  it.each(SEEDS)('fill all slots while units are due, and buy none twice: seed %i', async (seed) => {
    const random = new Random(seed);
    const merchants = await someMerchants(random, 0, 20);
    const units = new Set<string>();
    for (let left = merchants.reduce((sum, { due }) => sum + due, 0); left > 0;) {
      const slots = random.int(1, 20);
      const claimed = await scene.claim(slots);
      const counts = countByMerchant(claimed);
      expect(claimed).toHaveLength(Math.min(slots, left));
      left -= claimed.length;
      const turn = merchants.reduce((sum, { due, weight }) => sum + (due > 0 ? weight : 0), 0);
      for (const merchant of merchants) {
        const got = counts[merchant.id] ?? 0;
        const certain = Math.floor(slots / turn) * merchant.weight;
        expect(got).toBeGreaterThanOrEqual(Math.min(certain, merchant.due));
        expect(got).toBeLessThanOrEqual(merchant.due);
        merchant.due -= got;
      }
      for (const { order_id, item, unit } of claimed) units.add(`${order_id}.${item}.${unit}`);
    }
    const [placed] = await scene.stack.sql<{ count: bigint }>(
      'SELECT count(*) FROM order_units WHERE supplier_id = $1 AND claim = 1',
      [scene.supplierId],
    );
    expect(BigInt(units.size)).toBe(placed?.count);
  });
});
