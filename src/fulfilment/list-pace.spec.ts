import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ListPace } from './list-pace.js';

const FULL = 2;

let nowMs: number;
let reads: number;
let pace: ListPace;

beforeEach(() => {
  nowMs = 0;
  reads = 0;
  pace = new ListPace();
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => void jest.restoreAllMocks());

/** Reads a list, unless it rests. @param tookMs how long the read takes. */
const read = (tookMs: number, found = 0): Promise<string[]> =>
  pace.read(FULL, () => {
    reads++;
    nowMs += tookMs;
    return found < 0 ? Promise.reject(new Error('too slow')) : Promise.resolve(Array<string>(found).fill('unit'));
  });

describe('the pace of a list', () => {
  it('lets the list take a tenth of the time', async () => {
    expect(await read(1_000, 1)).toEqual(['unit']);
    nowMs += 8_999;
    expect(await read(1_000, 1)).toEqual([]);
    nowMs += 1;
    expect(await read(1_000, 1)).toEqual(['unit']);
    expect(reads).toBe(2);
  });

  it('lets a full list be read again at once', async () => {
    await read(1_000, FULL);
    expect(await read(1_000, 1)).toEqual(['unit']);
    expect(await read(1_000, 1)).toEqual([]);
  });

  it('lets a list rest that failed', async () => {
    await expect(read(1_000, -1)).rejects.toThrow('too slow');
    expect(await read(1_000, 1)).toEqual([]);
    expect(reads).toBe(1);
  });

  it('lets no list rest for longer than half a minute', async () => {
    await read(60_000);
    nowMs += 30_000;
    await read(60_000);
    expect(reads).toBe(2);
  });
});
