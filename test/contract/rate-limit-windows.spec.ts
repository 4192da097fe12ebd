import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { WindowStore } from '../../src/core/http/window-store.js';

describe('the windows of the rate limit', () => {
  it('count the hits of each key', () => {
    const store = new WindowStore(60_000);
    expect(['a', 'b', 'a', 'a'].map((key) => store.increment(key).totalHits)).toEqual([1, 1, 2, 3]);
    store.decrement('a');
    store.resetKey('b');
    expect([store.increment('a').totalHits, store.increment('b').totalHits]).toEqual([3, 1]);
  });

  it('are forgotten when they are over', async () => {
    const store = new WindowStore(50);
    for (let key = 0; key < 10_000; key++) store.increment(`key-${key}`);
    expect(store.size).toBeGreaterThan(0);
    await eventually(
      () => {
        store.increment('still-there');
        return store.size;
      },
      (size) => size === 1,
    );
  });
});
