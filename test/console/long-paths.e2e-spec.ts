import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { ConsoleStack, newAddress } from './console-stack.js';

let console: ConsoleStack;
beforeAll(async () => {
  console = await ConsoleStack.start();
});
afterAll(() => console.close());

/** The CPU time of this process for a request: the least of three, so that other busy processes do not change it. */
async function cpuMsOf(path: string): Promise<number> {
  const costs: number[] = [];
  for (let time = 1; time <= 3; time++) {
    const before = process.cpuUsage();
    await console.browser().get(path);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return Math.min(...costs);
}

describe('a path of 15,000 characters', () => {
  it.each(['', '/api'])('under "%s" costs the same with slashes as with letters', async (under) => {
    const letters = await cpuMsOf(`${under}/${'x'.repeat(15_000)}`);
    const slashes = await cpuMsOf(`${under}${'/'.repeat(15_000)}x`);
    expect(slashes / letters).toBeLessThan(10);
  });

  it('with slashes at its end does not avoid the limit of attempts', async () => {
    const others = ['/api/session', '/api/session/', '/api/session//', `/api/session${'/'.repeat(1_000)}`];
    const afterTen = async (): Promise<{ first: number[]; next: number[] }> => {
      const browser = console.browser(newAddress());
      const attempt = async (path: string): Promise<number> =>
        (await browser.post(path, { email: 'nobody@shop.example', password: 'wrong' })).status;
      const first: number[] = [];
      for (let times = 0; times < 10; times++) first.push(await attempt('/api/session/'));
      return { first, next: await Promise.all(others.map(attempt)) };
    };
    // Repeated if the machine was so slow that the minute was over, or that an attempt was made twice, after a 503.
    const found = await eventually(afterTen, ({ first, next }) => !first.includes(429) && !next.includes(401));
    expect(found).toEqual({ first: Array(10).fill(401), next: [429, 429, 404, 404] });
  });
});
