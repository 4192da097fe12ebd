import { describe, expect, it } from '@jest/globals';
import type { Catalogue, SupplierAdapter } from './supplier-adapter.js';
import { checkConnection } from './supplier-check.service.js';

const notBought = (): never => {
  throw new Error('a check buys nothing');
};

const catalogue: Pick<Catalogue, 'minGapMs' | 'productGapMs' | 'read' | 'readOne'> = {
  minGapMs: 0,
  productGapMs: 0,
  read: notBought,
  readOne: notBought,
};

describe('the check of a supplier', () => {
  it('ends with the balance if the supplier bans us, because each call prolongs the ban', async () => {
    const banned = { known: false, detail: 'banned', offersNone: false, fault: 'ban' } as const;
    const adapter: SupplierAdapter = {
      deduplicates: true,
      readSettings: (stored) => stored,
      send: notBought,
      inquiry: null,
      balance: () => Promise.resolve(banned),
      catalogue: { ...catalogue, probe: notBought },
    };
    expect(await checkConnection({ adapter, settings: null })).toEqual([{ name: 'balance', answer: banned }]);
  });

  it('also reads the catalogue, after the balance, if the supplier has one', async () => {
    const asked: string[] = [];
    const adapter: SupplierAdapter = {
      deduplicates: true,
      readSettings: (stored) => stored,
      send: notBought,
      inquiry: null,
      balance: (settings) => {
        asked.push(`balance of ${String(settings)}`);
        return Promise.resolve({ known: true, amount: { micros: 1n, currency: 'IDR' } });
      },
      catalogue: {
        ...catalogue,
        probe: (settings) => {
          asked.push(`catalogue of ${String(settings)}`);
          return Promise.resolve({ known: false, detail: 'HTTP 500', offersNone: false });
        },
      },
    };
    expect(await checkConnection({ adapter, settings: 'mine' })).toEqual([
      { name: 'balance', answer: { known: true, amount: { micros: 1n, currency: 'IDR' } } },
      { name: 'catalogue', answer: { known: false, detail: 'HTTP 500', offersNone: false } },
    ]);
    expect(asked).toEqual(['balance of mine', 'catalogue of mine']);
  });
});
