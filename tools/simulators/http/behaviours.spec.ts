import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { behaviourOf, isCard, isUnknownProduct, orderNumberOf } from './behaviours.js';

const succeed = { kind: 'succeed' };
const outOfStock = { kind: 'fail', failureCode: 'OUT_OF_STOCK' };
const recorded = (verdict: object, delivery: string, settleAfterMs = 0): object => ({
  kind: 'recorded',
  verdict,
  settleAfterMs,
  delivery,
});

describe('behaviourOf', () => {
  it.each([
    ['player-1', recorded(succeed, 'result')],
    ['sim-fail-out_of_stock', recorded(outOfStock, 'result')],
    ['sim-fail-OUT_OF_STOCK', recorded(outOfStock, 'result')],
    ['sim-fail-Invalid_Player', recorded({ kind: 'fail', failureCode: 'INVALID_PLAYER' }, 'result')],
    ['sim-fail-no such thing', recorded({ kind: 'fail', failureCode: 'NO SUCH THING' }, 'result')],
    ['sim-partial-0', recorded({ kind: 'first-of-order', limit: 0 }, 'result')],
    ['sim-partial-12', recorded({ kind: 'first-of-order', limit: 12 }, 'result')],
    ['sim-slow-1500', recorded(succeed, 'wait', 1500)],
    ['sim-processing-1500', recorded(succeed, 'processing', 1500)],
    ['sim-drop-succeed', recorded(succeed, 'close')],
    ['sim-drop-fail', recorded(outOfStock, 'close')],
    ['sim-500-succeed', recorded(succeed, 'error')],
    ['sim-500-fail', recorded(outOfStock, 'error')],
    ['sim-garbage-succeed', recorded(succeed, 'garbage')],
    ['sim-lost', { kind: 'lost' }],
  ])('%s', (userId, behaviour) => {
    expect(behaviourOf(userId)).toEqual(behaviour);
  });

  it.each([
    'sim-fail-',
    'sim-partial-',
    'sim-partial-two',
    'sim-partial--1',
    'sim-slow-1.5',
    'sim-processing-1s',
    'sim-lost-1',
    'sim-garbage-fail',
    'SIM-LOST',
    ' sim-lost',
    '',
  ])('treats %j as an ordinary player', (userId) => {
    expect(behaviourOf(userId)).toEqual(recorded(succeed, 'result'));
  });

  it('limits a delay to ten years, so that the deadline stays exact', () => {
    expect(behaviourOf(`sim-processing-${'9'.repeat(100)}`)).toMatchObject({
      settleAfterMs: 315_360_000_000,
    });
  });
});

describe('isUnknownProduct', () => {
  it.each([
    ['SIM-UNKNOWN', true],
    ['sim-unknown-86', true],
    ['ML-86-SIM-UNKNOWN', false],
    ['ML-86', false],
  ])('%s: %s', (sku, unknown) => {
    expect(isUnknownProduct(sku)).toBe(unknown);
  });
});

describe('isCard', () => {
  it.each([
    ['SIM-CODE', true],
    ['sim-code-100', true],
    ['ML-86-SIM-CODE', false],
  ])('%s: %s', (sku, card) => {
    expect(isCard(sku)).toBe(card);
  });
});

describe('orderNumberOf', () => {
  it.each([
    ['ord_Np3O7rcsqNmBTwD7.1.2', 'ord_Np3O7rcsqNmBTwD7'],
    ['ord_Np3O7rcsqNmBTwD7.10.20', 'ord_Np3O7rcsqNmBTwD7'],
    ['no-dots', 'no-dots'],
  ])('%s', (reference, orderNumber) => {
    expect(orderNumberOf(reference)).toBe(orderNumber);
  });
});

describe('docs/simulator.md', () => {
  const guide = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');
  const names = [...guide.matchAll(/^\| `(sim-[^`]+)` \|/gm)].map(([, name = '']) => name);

  it('names every special user id, and no others', () => {
    expect(names).toEqual([
      'sim-fail-<code>',
      'sim-partial-<n>',
      'sim-slow-<ms>',
      'sim-processing-<ms>',
      'sim-drop-succeed',
      'sim-drop-fail',
      'sim-500-succeed',
      'sim-500-fail',
      'sim-garbage-succeed',
      'sim-lost',
    ]);
    const ordinary = behaviourOf('anybody');
    for (const name of names) {
      const userId = name.replace('<code>', 'out_of_stock').replace(/<n>|<ms>/, '7');
      expect([userId, behaviourOf(userId)]).not.toEqual([userId, ordinary]);
    }
  });
});
