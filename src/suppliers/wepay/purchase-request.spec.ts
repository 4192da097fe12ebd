import { describe, expect, it } from '@jest/globals';
import type { TopUp } from '../supplier-adapter.js';
import { denominationOf, purchaseFields, requestBody, writeAmount } from './purchase-request.js';

const TOP_UP: TopUp = {
  reference: 'TU7Q2M0001A1',
  sku: 'gtopup:MLBB:90',
  userId: '123456789',
  serverId: '2001',
  characterId: null,
  endUserIp: null,
  playerTemplate: null,
  maxCost: null,
  expectedCost: null,
};
const fields = (changes: Partial<TopUp> = {}, callbackUrl: string | null = null): unknown =>
  purchaseFields({ ...TOP_UP, ...changes }, { callbackUrl });

describe('an amount', () => {
  it.each([
    ['90', '90'],
    ['90.00', '90'],
    ['90.02', '90.02'],
    ['23.5', '23.50'],
    ['0.5', '0.50'],
  ])('of %s is sent as %s', (given, sent) => {
    expect(writeAmount(given)).toBe(sent);
    expect(denominationOf(`gtopup:X:${given}`)).toEqual({ type: 'gtopup', company: 'X', amount: sent });
  });
});

it.each(['', '90', 'gtopup:MLBB', 'gtopup:MLBB:', 'gtopup::90', 'game:MLBB:90', 'gtopup:MLBB:090', 'gtopup:MLBB:9,5'])(
  '%j is no SKU of it',
  (sku) => expect(fields({ sku })).toBeNull(),
);
it.each(['gtopup:MLBB:-9', 'gtopup:MLBB:90.025', 'gtopup:ML BB:90', 'gtopup:MLBB:90:x', ' gtopup:MLBB:90'])(
  '%j is none either',
  (sku) => expect(fields({ sku })).toBeNull(),
);

describe('a purchase', () => {
  it('has the player, a space and the server', () => {
    expect(fields()).toEqual({
      type: 'gtopup',
      pay_to_company: 'MLBB',
      pay_to_amount: '90',
      pay_to_ref1: '123456789 2001',
      dest_ref: 'TU7Q2M0001A1',
    });
    expect(fields({ serverId: null })).toMatchObject({ pay_to_ref1: '123456789' });
    expect(fields({ playerTemplate: '{user}({server})' })).toMatchObject({ pay_to_ref1: '123456789(2001)' });
  });

  it('of a cash card has no player', () => {
    const sku = 'cashcard:RAZER:50.00';
    expect(fields({ sku, playerTemplate: '{user}' })).toMatchObject({
      type: 'cashcard',
      pay_to_ref1: '0000000000',
      pay_to_amount: '50',
    });
  });

  it('has our callback address, if there is one', () => {
    expect(fields({}, 'https://shop.example/x')).toMatchObject({ resp_url: 'https://shop.example/x' });
  });

  it('is sent as a form', () => {
    const account = { username: 'shop', password: 'p&s=1 ก' };
    expect(requestBody(account, { type: 'balance_inquiry' })).toBe(
      'username=shop&password=p%26s%3D1+%E0%B8%81&type=balance_inquiry',
    );
  });
});
