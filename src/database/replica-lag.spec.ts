import { describe, expect, it } from '@jest/globals';
import { ReplicaLag } from './replica-lag.js';

describe('the lag of a replica', () => {
  it('is unknown until the replica has reached a known state of the primary', () => {
    const lag = new ReplicaLag();
    expect(lag.ms(0)).toBe(Infinity);
    lag.primaryWas(500n, 1_000);
    lag.replicaIs(400n);
    expect([lag.isKnown, lag.ms(2_000)]).toEqual([false, Infinity]);
    lag.replicaIs(500n);
    expect([lag.isKnown, lag.ms(2_000)]).toEqual([true, 1_000]);
  });

  it('grows while the replica stops and the primary writes, and ends once it has caught up', () => {
    const lag = new ReplicaLag();
    for (const [written, atMs] of [
      [100n, 1_000],
      [200n, 2_000],
      [300n, 3_000],
    ] as const) {
      lag.primaryWas(written, atMs);
      lag.replicaIs(150n);
    }
    expect(lag.ms(3_000)).toBe(2_000);
    lag.replicaIs(350n);
    expect(lag.ms(3_000)).toBe(0);
  });

  it('does not grow while the primary is quiet', () => {
    const lag = new ReplicaLag();
    for (const atMs of [1_000, 2_000, 60_000]) {
      lag.primaryWas(100n, atMs);
      lag.replicaIs(100n);
    }
    expect(lag.ms(60_000)).toBe(0);
  });

  it('also works with a new primary that has written less than the old one', () => {
    const lag = new ReplicaLag();
    lag.primaryWas(900n, 1_000);
    lag.replicaIs(100n);
    lag.primaryWas(200n, 2_000);
    lag.replicaIs(200n);
    expect(lag.ms(2_000)).toBe(0);
  });

  it('is unknown again if the replica goes back, until it reaches the awaited state', () => {
    const lag = new ReplicaLag();
    lag.primaryWas(500n, 1_000);
    lag.replicaIs(500n);
    lag.primaryWas(600n, 2_000);
    lag.replicaIs(400n);
    expect([lag.isKnown, lag.ms(2_000)]).toEqual([false, Infinity]);
    lag.replicaIs(550n);
    expect(lag.isKnown).toBe(false);
    lag.replicaIs(600n);
    expect(lag.ms(2_000)).toBe(0);
  });

  it('is computed from a bounded number of states, because the oldest ones suffice', () => {
    const lag = new ReplicaLag();
    lag.primaryWas(0n, 0);
    lag.replicaIs(0n);
    for (let n = 1; n <= 5_000; n++) lag.primaryWas(BigInt(n), n);
    lag.replicaIs(5_000n);
    expect(lag.ms(5_000)).toBeGreaterThan(0);
    lag.primaryWas(6_000n, 6_000);
    lag.replicaIs(6_000n);
    expect(lag.ms(6_000)).toBe(0);
  });
});
