import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PriceAdjustmentsService } from '../../src/catalog/price-adjustments.service.js';
import { PricesService } from '../../src/catalog/prices.service.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import { problemInWords } from '../../src/cli/problems.js';
import { ChangedMeanwhile } from '../../src/core/errors.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start();
});

afterAll(() => stack.close());

const by = { operator: 'Malee' };
const meanwhile = /changed meanwhile$/;

describe('a change that an operator confirmed at the prompt', () => {
  it('is not made to products that were changed meanwhile', async () => {
    const products = stack.api.get(ProductsService);
    const sku = await stack.product('35.00');
    const definitions = [{ sku, price: 3_600n }];
    const expected = await products.compare(definitions);
    await products.set({ sku, price: 3_400n });
    const late = products.setAll(definitions, { by, file: 'prices.csv', expected });
    await expect(late).rejects.toThrow(meanwhile);
    const [product] = (await products.list()).filter((each) => each.sku === sku);
    expect(product?.price).toBe(3_400n);
    const again = await products.compare(definitions);
    await products.setAll(definitions, { by, file: 'prices.csv', expected: again });
    expect(await products.compare(definitions)).toEqual([]);
  });

  it('is not made to prices that were changed meanwhile', async () => {
    const prices = stack.api.get(PricesService);
    const { id: merchantId } = await stack.merchant();
    const sku = await stack.product('35.00');
    const changes = [{ merchantId, sku, price: 3_000n }];
    const expected = await prices.compare(changes);
    await prices.set(merchantId, sku, 2_900n, by);
    const late = prices.setAll(changes, { by, file: 'prices.csv', expected });
    await expect(late).rejects.toThrow(meanwhile);
    expect(await prices.list({ merchantId })).toMatchObject([{ price: 2_900n }]);
  });

  it('is not made to list prices that were changed meanwhile', async () => {
    const adjustments = stack.api.get(PriceAdjustmentsService);
    const sku = await stack.product('35.00');
    const adjustment = { percent: { text: '10', millionths: 100_000n }, match: sku };
    const expected = await adjustments.compare(adjustment);
    await stack.api.get(ProductsService).set({ sku, price: 3_400n });
    await expect(adjustments.apply(adjustment, { by, expected })).rejects.toThrow(meanwhile);
    expect(await adjustments.compare(adjustment)).toMatchObject([{ old: '34.00', new: '37.40' }]);
  });

  it('is refused at the command line with a remedy', () => {
    expect(problemInWords(new ChangedMeanwhile('the prices changed meanwhile'))).toBe(
      'the prices changed meanwhile: give the command again',
    );
  });
});
