import { describe, expect, it } from '@jest/globals';
import { monthlyStatement } from './statement.view.js';

describe('a monthly statement', () => {
  it.each([
    ['text', false, {}],
    ['CSV', false, { csv: true }],
    ['JSON', true, {}],
  ])('prints nothing of its %s if its first query fails', async (_, asJson, options) => {
    const statement = { opening: 100n, closing: 100n, pages: failing };
    const printed: string[] = [];
    const printing = async (): Promise<void> => {
      const { parts } = monthlyStatement({ merchantId: 1, month: '2026-10', statement }, options);
      for await (const part of parts(asJson)) printed.push(part);
    };
    await expect(printing()).rejects.toThrow('the server is away');
    expect(printed).toEqual([]);
  });
});

// eslint-disable-next-line require-yield -- it fails before its first page.
async function* failing(): AsyncGenerator<never> {
  await Promise.reject(new Error('the server is away'));
}
