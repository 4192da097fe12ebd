import { inFunction, inStatement, type Change } from './seams.js';

interface CaughtDefect {
  /** The suite that sees the defect, and the name of its test, or a part of the name. */
  suite: string;
  test: string;
  changes: Change[];
}

const DEALING = 'test/deposits/dealing.e2e-spec.ts';
const SLIPS = 'test/deposits/slips/slips.e2e-spec.ts';
const WITNESSES = 'test/deposits/slips/witnesses.e2e-spec.ts';
const OPN = 'test/deposits/opn';

/** A slip and a line of the same payment never wait as a double, either. */
const NEVER_DOUBLE = inFunction('witnesses.orWaits', `match.state === 'booked' && others`, 'false && others');

const freedBy = (statement: string, status: string): Change =>
  inStatement(statement, `SET status = '${status}',`, `SET status = '${status}', holds_amount = false,`);

/** Planted defects of deposits. Each is seen by a test, which needs no faults. */
export const CAUGHT_DEFECTS = {
  'booked-from-the-callback': {
    suite: `${OPN}/callbacks.e2e-spec.ts`,
    test: 'one that is proven books what Opn answers, not what it says',
    changes: [
      inFunction(
        'opn-data.readCallback',
        'const id = data.object',
        `const exact = (value) => new JsonNumber(String(value ?? 0));
         const [amount, refunded_amount] = [exact(data.amount), exact(data.refunded_amount)];
         (globalThis.toldByCallbacks ??= new Map()).set(data.id, { ...data, amount, refunded_amount });
         const id = data.object`,
      ),
      inFunction(
        'opn-data.readCharge',
        'const { object, status, livemode, paid } = charge;',
        `charge = globalThis.toldByCallbacks?.get(id) ?? charge;
         const { object, status, livemode, paid } = charge;`,
      ),
    ],
  },
  'failed-over-paid': {
    suite: `${OPN}/payments.e2e-spec.ts`,
    test: 'changes nothing of a paid deposit if it says later that the charge failed',
    changes: [
      // The database refuses it, too.
      inFunction(
        'Deposits1763900000013.up',
        'await this.keepPayments(runner);',
        `await this.keepPayments(runner);
         await runner.query('DROP TRIGGER tg_deposits_kept ON deposits');
         await runner.query('ALTER TABLE deposits DROP CONSTRAINT ck_deposits_paid');`,
      ),
      inStatement(
        'deposits.record_inquiry',
        'next_inquiry_at = CASE WHEN',
        `status = CASE WHEN \${hasEnded} AND status = 'paid' THEN 'expired' ELSE status END,
         next_inquiry_at = CASE WHEN`,
      ),
    ],
  },
  'slip-older-than-its-deposit': {
    suite: SLIPS,
    test: 'is older than the deposit, as one from a chat',
    changes: [
      inFunction('IncomingSlipsService.match', 'withKnown(reported, line)', '{ ...reported, paidAt: new Date() }'),
    ],
  },
  'duplicate-slip-refused': {
    suite: 'src/deposits/slips/easyslip-answers.spec.ts',
    test: 'is one as well if it is a duplicate, in the words of both versions',
    changes: [
      inFunction(
        'easyslip-answers.readSlip',
        `const data = member(body, 'data');`,
        `const data = member(body, 'data');
         if (isDuplicate || member(data, 'isDuplicate') === true) return { kind: 'wrong_receiver' };`,
      ),
    ],
  },
  'line-apart-from-its-slip': {
    suite: WITNESSES,
    test: 'is booked once, both at once, and the slip is a moment earlier',
    changes: [inFunction('witnesses.pairWithLines', 'mayBeOne(line, slip)', 'false'), NEVER_DOUBLE],
  },
  'slip-apart-from-its-line': {
    suite: WITNESSES,
    test: 'is booked once, both at once, and the line is a moment earlier',
    changes: [inFunction('witnesses.lineOf', 'mayBeOne(slip, line)', 'false'), NEVER_DOUBLE],
  },
  'floats-in-statements': {
    suite: 'src/deposits/statements/cells.spec.ts',
    test: 'is read to the satang',
    changes: [
      inFunction(
        'cells.readAmount',
        `BigInt(whole.replaceAll(',', '') + fraction.padEnd(2, '0'))`,
        `BigInt(Math.trunc(Number(whole.replaceAll(',', '') + '.' + fraction) * 100))`,
      ),
    ],
  },
  'floats-in-slips': {
    suite: 'src/deposits/slips/easyslip-answers.spec.ts',
    test: 'with three decimals is unclear',
    changes: [
      inFunction('easyslip-answers.readFacts', 'parseBaht(each.text)', 'BigInt(Math.round(Number(each.text) * 100))'),
    ],
  },
  'floats-in-charges': {
    suite: 'src/deposits/channels/opn/opn-data.spec.ts',
    test: 'is unknown with {"amount":100037.5}',
    changes: [
      inFunction(
        'opn-data.satangOf',
        '/^\\d{1,15}$/.test(value.text) ? BigInt(value.text)',
        '/^\\d/.test(value.text) ? BigInt(Math.round(Number(value.text)))',
      ),
    ],
  },
  'floats-in-requests': {
    suite: 'src/core/money.spec.ts',
    test: 'writes every amount so that reading it returns the same satang',
    changes: [
      inFunction(
        'money.parseBaht',
        `BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'))`,
        'BigInt(Math.trunc(Number(text) * 100))',
      ),
    ],
  },
  'no-clock-skew': {
    suite: SLIPS,
    test: 'credits it although the bank’s clock is 20 seconds behind',
    changes: [inFunction('IncomingPaymentsService.match', 'skewMs: this.config.DEPOSIT_SKEW_MS', 'skewMs: 0')],
  },
  'amount-sent-to-the-slip-service': {
    suite: SLIPS,
    test: 'credits it at once, and tells the merchant, without a statement',
    changes: [inFunction('EasySlip.verify', 'payload: miniQr(slip)', 'payload: miniQr(slip), matchAmount: 1000')],
  },
  'amount-that-the-slip-service-matched': {
    suite: 'src/deposits/slips/easyslip-answers.spec.ts',
    test: 'has the amount of the slip, whatever the vendor says of an expected one',
    changes: [
      inFunction(
        'easyslip-answers.readFacts',
        `const paidAt = readMoment(textOf(member(slip, 'date')));`,
        `if (member(data, 'isAmountMatched') === true)
           return { ...readFacts({}, slip, { bank, transRef }), amount: parseBaht(member(data, 'amountInOrder').text) };
         const paidAt = readMoment(textOf(member(slip, 'date')));`,
      ),
    ],
  },
  'own-request-approved': {
    suite: 'test/console/deposits/approvals.e2e-spec.ts',
    test: 'is made once by the second person, and both are in the log',
    changes: [
      inFunction(
        'Money1763900000008.up',
        'await this.createApprovals(runner);',
        `await this.createApprovals(runner);
         await runner.query('ALTER TABLE approvals DROP CONSTRAINT ck_approvals_second_person');`,
      ),
      inFunction(
        'ApprovalsService.approve',
        `if (requestedBy === by.console.operatorId) throw ownRequest();
         await this.assertTwoPeople(tx, requestedBy, by);`,
        'if (requestedBy !== by.console.operatorId) await this.assertTwoPeople(tx, requestedBy, by);',
      ),
    ],
  },
  'unique-by-amount-and-day': {
    suite: 'src/deposits/statements/chain.spec.ts',
    test: 'differ for one amount at two times of a day',
    changes: [
      inFunction('chain.identify', '[ key, String(occurrence) ]', '[bookedOn, String(amount), String(occurrence)]'),
    ],
  },
  'second-equal-line-dropped': {
    suite: 'src/deposits/statements/chain.spec.ts',
    test: 'stay in another file, and differ for equal lines of one day',
    changes: [inFunction('chain.identify', 'String(occurrence)', `'1'`)],
  },
  'amount-freed-when-expired': {
    suite: DEALING,
    test: 'keep their amount for a day after they expired, and then free it',
    changes: [freedBy('deposits.expire', 'expired')],
  },
  'amount-freed-when-paid': {
    suite: DEALING,
    test: 'keep their amount although they are paid or cancelled',
    changes: [freedBy('deposits.pay', 'paid')],
  },
  'amount-freed-when-cancelled': {
    suite: DEALING,
    test: 'keep their amount although they are paid or cancelled',
    changes: [freedBy('deposits.cancel', 'cancelled')],
  },
  'amount-freed-without-its-hold': {
    suite: DEALING,
    test: 'keep their amount for a day after they expired, and then free it',
    changes: [
      inStatement(
        'deposits.free_amounts',
        'hold_until <= statement_timestamp()',
        'expires_at <= statement_timestamp()',
      ),
    ],
  },
  'class-forgotten': {
    suite: 'src/deposits/dealing.spec.ts',
    test: 'of 1000.00 are 180, from 1000.01 to 1019.99, of one class, none in whole baht',
    changes: [inFunction('dealing.amountsToDeal', 'each += CLASSES', 'each += 1n')],
  },
  'class-of-the-channel-forgotten': {
    suite: DEALING,
    test: 'get amounts of the class that the channel has, such as after a restore',
    changes: [inFunction('PromptPayChannel.readSettings', `wholeNumber(options, 'class', 3, 0, 10)`, '3')],
  },
} satisfies Record<string, CaughtDefect>;

export type CaughtDefectName = keyof typeof CAUGHT_DEFECTS;

export const CAUGHT_NAMES = Object.keys(CAUGHT_DEFECTS) as CaughtDefectName[];

export const DEPOSIT_DEFECTS = Object.fromEntries(
  Object.entries(CAUGHT_DEFECTS).map(([name, { changes }]) => [name, changes]),
) as Record<CaughtDefectName, Change[]>;
