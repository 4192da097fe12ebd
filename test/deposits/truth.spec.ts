import { describe, expect, it } from '@jest/globals';
import { compare, type ComparedPayment, readTruth } from './truth.js';

const TRUTH = readTruth(`channel,paid_at,amount,kind,merchant,reference_id,deposit_number
a,2026-11-24T10:00:00.000Z,1000.03,exact,1,r1,dep_1
a,2026-11-24T10:00:00.000Z,1000.03,twice,1,r2,dep_2
a,2026-11-24T10:01:00.000Z,50.00,stranger,,,
`);
const PAYMENTS = TRUTH.map(({ channel, paid_at, amount, deposit_number }): ComparedPayment => {
  const isBooked = deposit_number !== '';
  return { channel, paid_at, amount, state: isBooked ? 'booked' : 'waiting', deposit_number: deposit_number || null };
});
const [first, second, stranger] = PAYMENTS as [ComparedPayment, ComparedPayment, ComparedPayment];

describe('payments compared with the truth', () => {
  it.each<[string, ComparedPayment[], [wrong: number, twice: number, lost: number], number]>([
    ['as they are', PAYMENTS, [0, 0, 0], 2],
    ['with one that waits', [first, { ...second, state: 'waiting' }, stranger], [0, 0, 0], 1],
    ['with one for another deposit', [first, { ...second, deposit_number: 'dep_1' }, stranger], [1, 0, 0], 1],
    [
      "with a booked stranger's",
      [first, second, { ...stranger, state: 'booked', deposit_number: 'dep_1' }],
      [1, 0, 0],
      2,
    ],
    ['with one twice', [...PAYMENTS, stranger], [0, 1, 0], 2],
    ['without one', [first, stranger], [0, 0, 1], 1],
  ])('%s', (_, payments, counts, withoutPerson) => {
    const compared = compare(TRUTH, payments);
    expect([compared.wrong, compared.twice, compared.lost].map(({ length }) => length)).toEqual(counts);
    expect(compared).toMatchObject({ payments: 2, withoutPerson });
  });
});
