import { describe, expect, it } from '@jest/globals';
import { currentOperator } from './command-group.js';
import { age, baht, id, moment, networks, unit } from './options.js';

describe('a moment', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2028-02-29T23:59Z', '2028-02-29T23:59:00.000Z'],
    ['2027-01-31T18:00:00+07:00', '2027-01-31T11:00:00.000Z'],
    ['2027-01-31T18:00:00.123456-00:30', '2027-01-31T18:30:00.123Z'],
  ])('may be %s', (text, iso) => expect(moment(text).toISOString()).toBe(iso));

  it.each([
    '',
    'tomorrow',
    '2027',
    '2027-01',
    '2027-02-29',
    '2027-13-01',
    '2027-00-10',
    '2027-01-00',
    '2027-01-31T18:00:00',
    '2027-01-31 18:00:00Z',
    '2027-01-31T24:00:00Z',
    '2027-01-31T18:60:00Z',
    '2027-01-31T18:00:00+24:00',
    '1800000000',
  ])('may not be %j', (text) => expect(() => moment(text)).toThrow(/moment with its time zone/));
});

describe('networks', () => {
  it('are CIDR or single addresses, of both kinds, and add up', () => {
    expect(networks('203.0.113.0/24, 198.51.100.7')).toEqual(['203.0.113.0/24', '198.51.100.7']);
    expect(networks('2001:db8::/32,::1', ['10.0.0.0/8'])).toEqual(['10.0.0.0/8', '2001:db8::/32', '::1']);
  });

  it.each(['', ',', '10.1', '0x7f000001', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fe80::1%eth0', 'example.com'])(
    'may not be %j',
    (text) => expect(() => networks(text)).toThrow(/is not a network/),
  );
});

describe('other arguments', () => {
  it('are read to the letter', () => {
    expect([id('1'), id('2147483647')]).toEqual([1, 2147483647]);
    expect([baht('35'), baht('0.05')]).toEqual([3500n, 5n]);
    expect([age('90s'), age('15m'), age('2h'), age('7d')]).toEqual([90, 900, 7_200, 604_800]);
    expect(unit('1.2')).toEqual({ item: 1, unit: 2 });
  });

  it.each(['0', '01', '-1', '+1', '1.0', '1e3', ' 1', '2147483648', ''])('an id is not %j', (text) =>
    expect(() => id(text)).toThrow(/must be an id/),
  );

  it.each(['15', '15 m', '1.5h', '-1m', 'm', '999999999d'])('an age is not %j', (text) =>
    expect(() => age(text)).toThrow(/length of time/),
  );

  it.each(['1', '1.0', '0.1', '1.2.3', '1,2'])('a unit is not %j', (text) =>
    expect(() => unit(text)).toThrow(/item\.unit/),
  );
});

describe('the operator', () => {
  it('is who is logged in', () => {
    expect(currentOperator({ USER: 'malee', LOGNAME: 'root' })).toBe('malee');
    expect(currentOperator({ USER: ' ', LOGNAME: 'malee' })).toBe('malee');
    expect(currentOperator({})).toMatch(/./);
  });
});
