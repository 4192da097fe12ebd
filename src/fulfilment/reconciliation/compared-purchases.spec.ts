import { describe, expect, it } from '@jest/globals';
import { ComparedPurchases } from './compared-purchases.js';
import type { ReportedPurchase } from './unknown-purchases.repository.js';

const purchase = (reference: string | null, supplierReference: string, detail = 'listed'): ReportedPurchase => ({
  reference,
  supplierReference,
  state: 'succeeded',
  sku: null,
  player: null,
  boughtAt: null,
  cost: null,
  detail,
});

const namesIn = (purchases: ReportedPurchase[]): (string | null)[] =>
  purchases.map(({ supplierReference }) => supplierReference);

describe('a page of purchases', () => {
  it('is compared together with earlier purchases under its references', () => {
    const compared = new ComparedPurchases();
    expect(namesIn(compared.add([purchase('A', 'S-1'), purchase('B', 'S-2')]))).toEqual(['S-1', 'S-2']);
    expect(namesIn(compared.add([purchase('A', 'S-3')]))).toEqual(['S-3', 'S-1']);
    expect(namesIn(compared.add([purchase('A', 'S-4')]))).toEqual(['S-4', 'S-1', 'S-3']);
  });

  it('replaces what an earlier page has about the same purchase', () => {
    const compared = new ComparedPurchases();
    compared.add([purchase('A', 'S-1', 'before')]);
    expect(compared.add([purchase('A', 'S-1', 'now')])).toEqual([purchase('A', 'S-1', 'now')]);
  });

  it('has no others if it does not name our reference', () => {
    const compared = new ComparedPurchases();
    compared.add([purchase(null, 'S-1')]);
    expect(namesIn(compared.add([purchase(null, 'S-2')]))).toEqual(['S-2']);
  });

  it('has no others of the pages that are too long ago, if the list has too many purchases', () => {
    const compared = new ComparedPurchases(2);
    compared.add([purchase('A', 'S-1'), purchase('B', 'S-2')]);
    compared.add([purchase('A', 'S-1')]);
    compared.add([purchase('C', 'S-3')]);
    expect(namesIn(compared.add([purchase('B', 'S-4')]))).toEqual(['S-4']);
    expect(namesIn(compared.add([purchase('C', 'S-5')]))).toEqual(['S-5', 'S-3']);
  });
});
