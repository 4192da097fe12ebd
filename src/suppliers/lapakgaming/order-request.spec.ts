import { describe, expect, it } from '@jest/globals';
import type { TopUp } from '../supplier-adapter.js';
import { orderRequest, requestProblem } from './order-request.js';

const TOP_UP: TopUp = {
  reference: 'T0123456789ABCDE',
  sku: 'ML78_8-S2',
  userId: '123456789',
  serverId: '2001',
  characterId: null,
  endUserIp: null,
  playerTemplate: null,
  maxCost: null,
  expectedCost: null,
};
const HERE = { callbackUrl: null };

const request = (changes: Partial<TopUp> = {}, settings: { callbackUrl: string | null } = HERE): string =>
  orderRequest(settings, { ...TOP_UP, ...changes });

describe('the request of an order', () => {
  it('has the members that the supplier requires, and no others', () => {
    expect(request()).toBe(
      '{"product_code":"ML78_8-S2","count_order":1,"user_id":"123456789","additional_id":"2001",' +
        '"partner_reference_id":"T0123456789ABCDE"}',
    );
    expect(request({ serverId: null })).not.toContain('additional_id');
    expect(request({}, { callbackUrl: 'https://example.com/x' })).toContain(
      '"override_callback_url":"https://example.com/x"',
    );
  });

  it('has the buyer’s IP address, which some products need, if the merchant sent it', () => {
    expect(request({ endUserIp: '203.0.113.7' })).toContain('"end_user_ip_address":"203.0.113.7"');
    expect(request()).not.toContain('end_user_ip');
  });

  it('has the exact expected cost, and not the limit of the cost', () => {
    const expectedCost = { micros: 19_500_000_000n, currency: 'IDR' };
    const maxCost = { micros: 20_475_000_000n, currency: 'IDR' };
    expect(request({ expectedCost, maxCost })).toContain('"price":19500,');
    expect(request({ expectedCost: { ...expectedCost, micros: 19_500_250_000n } })).toContain('"price":19500.25,');
    expect(request({ maxCost })).not.toContain('price');
  });

  it('has the player in the form of the offer’s template', () => {
    expect(request({ playerTemplate: '{user}' })).toContain('"user_id":"123456789","partner');
    expect(request({ playerTemplate: '{user}({server})' })).toContain('"user_id":"123456789(2001)","partner');
    const fields = '{"user_id":"{user}","additional_information":"{server}"}';
    expect(request({ playerTemplate: fields })).toContain('"additional_information":"2001","partner');
  });

  it('is impossible with another currency, or with a field that the supplier does not have', () => {
    expect(requestProblem(TOP_UP)).toBeNull();
    const inBaht = { micros: 40_000_000n, currency: 'THB' };
    expect(requestProblem({ ...TOP_UP, expectedCost: inBaht })).toMatch(/in THB, not in IDR/);
    expect(requestProblem({ ...TOP_UP, playerTemplate: '{"User ID":"{user}"}' })).toMatch(/no field User ID/);
  });
});
