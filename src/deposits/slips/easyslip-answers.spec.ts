import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '../../core/exact-json.js';
import { readSlip } from './easyslip-answers.js';

const ASKED = { bank: '014', transRef: '202611241530XYZ01234' };
const OURS = { bank: '004', account: '0123456789', payeeId: '0812345678' };

interface Changes {
  data?: object;
  slip?: object;
  account?: object;
}

const slip = ({ slip: changes, account = { bank: { account: 'xxxxxx6789' } } }: Changes = {}): object => ({
  transRef: ASKED.transRef,
  date: '2026-11-24T15:30:05+07:00',
  amount: { amount: 1500.37, local: { amount: 0, currency: '' } },
  ref1: '',
  sender: { bank: { id: '014' } },
  receiver: { bank: { id: '004' }, account },
  ...changes,
});

const answer = (changes: Changes = {}): string =>
  JSON.stringify({
    success: true,
    data: { isDuplicate: false, matchedAccount: null, amountInSlip: 1500.37, rawSlip: slip(changes), ...changes.data },
  });

const read = (text: string, status = 200): object =>
  readSlip({ status, body: parseExactJson(text), retryAfter: undefined }, ASKED, OURS);

const PAID = { kind: 'paid', amount: 150_037n, paidAt: new Date('2026-11-24T08:30:05Z'), references: ['', ''] };

describe('an answer about a slip', () => {
  it('is a payment to us', () => expect(read(answer())).toEqual(PAID));

  it('is one as well if it is a duplicate, in the words of both versions', () => {
    expect(read(answer({ data: { isDuplicate: true } }))).toEqual(PAID);
    expect(read(JSON.stringify({ status: 400, message: 'duplicate_slip', data: slip() }), 400)).toEqual(PAID);
  });

  it('has the amount of the slip, whatever the vendor says of an expected one', () => {
    expect(read(answer({ data: { isAmountMatched: true, amountInOrder: 2000 } }))).toEqual(PAID);
  });

  it('has the references of a biller', () => {
    expect(read(answer({ slip: { ref1: 'DH7K3M9QX2B4' } }))).toMatchObject({ references: ['DH7K3M9QX2B4', ''] });
  });

  it.each<[string, object, boolean]>([
    ['the start', { bank: { account: '01xxxx6789' } }, true],
    ['four digits between dashes', { bank: { account: 'xxx-x-x5678-x' } }, true],
    ['a PromptPay id', { proxy: { type: 'MSISDN', account: '08xxxx5678' } }, true],
    ['both numbers', { bank: { account: 'xxxxxx6789' }, proxy: { type: 'MSISDN', account: '08xxxx5678' } }, true],
    ['three digits', { bank: { account: 'xxxxxxx789' } }, false],
    ['three digits beside a number', { bank: { account: 'xxxxxxx789' }, proxy: { account: '08xxxx5678' } }, true],
    [
      'a token beside a number',
      { bank: { type: 'TOKEN', account: 'xxxxxx1111' }, proxy: { account: '08xxxx5678' } },
      true,
    ],
    ['a token alone', { bank: { type: 'TOKEN', account: 'xxxxxx6789' } }, false],
    ['another account', { bank: { account: 'xxxxxx1111' }, proxy: { account: '08xxxx5678' } }, false],
    ['another PromptPay id', { bank: { account: 'xxxxxx6789' }, proxy: { account: '08xxxx5679' } }, false],
    ['an account that looks like our PromptPay id', { bank: { account: 'xxxxxx5678' } }, false],
    ['a PromptPay id that looks like our account', { proxy: { account: 'xxxxxx6789' } }, false],
    ['one other digit', { bank: { account: 'xxxxx56799' } }, false],
    ['a longer number', { bank: { account: 'xxxxxxx6789' } }, false],
    ['no account', {}, false],
  ])('that shows %s of the receiver', (_, account, isOurs) => {
    expect(read(answer({ account }))).toMatchObject({ kind: isOurs ? 'paid' : 'wrong_receiver' });
  });

  it('is of another receiver if only the bank differs', () => {
    const receiver = { bank: { id: '002' }, account: { bank: { account: 'xxxxxx6789' } } };
    expect(read(answer({ slip: { receiver } }))).toEqual({ kind: 'wrong_receiver' });
    const matchedAccount = { bank: { code: '004' }, bankNumber: '012-3-45678-9' };
    expect(read(answer({ slip: { receiver: {} }, data: { matchedAccount } }))).toEqual(PAID);
    expect(
      read(answer({ slip: { receiver }, data: { matchedAccount: { ...matchedAccount, bank: { code: '002' } } } })),
    ).toEqual({
      kind: 'wrong_receiver',
    });
  });

  it.each<[string, Changes]>([
    ['another number', { slip: { transRef: 'X' } }],
    ['another sending bank', { slip: { sender: { bank: { id: '002' } } } }],
    ['another currency', { slip: { amount: { amount: 1500.37, local: { amount: 40, currency: 'USD' } } } }],
    ['two amounts', { data: { amountInSlip: 1500.38 } }],
    ['three decimals', { slip: { amount: { amount: 1500.375 } }, data: { amountInSlip: 1500.375 } }],
    ['an amount in text', { slip: { amount: { amount: '1500.37' } } }],
    ['nothing paid', { slip: { amount: { amount: 0 } }, data: { amountInSlip: 0 } }],
    ['no date', { slip: { date: null } }],
    ['a date without a zone', { slip: { date: '2026-11-24T15:30:05' } }],
  ])('with %s is unclear', (_, changes) => expect(read(answer(changes))).toMatchObject({ kind: 'unclear' }));

  it.each<[string, number, string]>([
    ['an unknown slip', 404, '{"success":false,"error":{"code":"SLIP_NOT_FOUND"}}'],
    ['a pending one', 404, '{"success":false,"error":{"code":"SLIP_PENDING"}}'],
    ['too many calls', 429, '{}'],
    ['a fault', 500, '<html>'],
    ['no JSON', 200, '<html>'],
    ['no slip', 200, '{"success":true,"data":{}}'],
    ['a slip with a fault', 500, answer()],
  ])('decides nothing for %s', (_, status, text) => expect(read(text, status)).toMatchObject({ kind: 'unknown' }));

  it.each([401, 403])('with %i refuses us', (status) =>
    expect(read('{"success":false,"error":{"code":"QUOTA_EXCEEDED"}}', status)).toEqual({
      kind: 'refused',
      detail: `${status} QUOTA_EXCEEDED`,
    }),
  );

  it.each([403, 500])('with %i has its words cut', (status) => {
    const { detail } = read(JSON.stringify({ message: 'a'.repeat(10_000) }), status) as { detail: string };
    expect(detail.length).toBeLessThan(1_000);
  });
});
