import { describe, expect, it } from '@jest/globals';
import { momentOn, readAmount, readDay, type Moment } from './cells.js';
import { readStatementFormat, type StatementFormat } from './statement-format.js';
import { readStatement } from './statement-reader.js';
import { StatementRefused } from './statement-refused.js';

const NOW = new Date('2026-11-25T12:00:00+07:00');

const format = (columns: string, options: Record<string, string> = {}): StatementFormat => {
  const read = readStatementFormat({ columns, ...options }, 'amount');
  if (!read) throw new Error('no columns');
  return read;
};

const PLAIN = format('date=Date;time=Time;text=Details;out=Withdrawal;in=Deposit;balance=Balance');
const HEADER = 'Date,Time,Details,Withdrawal,Deposit,Balance';

const read = (rows: string[], of = PLAIN): string[] =>
  Array.from(
    readStatement(Buffer.from(rows.join('\n')), of, NOW).lines,
    ({ bookedOn, at, amount, balance }) => `${bookedOn} ${at.toISOString()} ${amount} ${balance}`,
  );

function refusal(rows: string[] | Buffer, of = PLAIN): { code: string; problems: readonly string[] } {
  try {
    readStatement(Buffer.isBuffer(rows) ? rows : Buffer.from(rows.join('\n')), of, NOW);
  } catch (error) {
    if (error instanceof StatementRefused) return { code: error.code, problems: error.problems };
    throw error;
  }
  throw new Error('it was read');
}

const LINES = ['2026-11-24 08:30:00 150037 250037', '2026-11-24 08:31:00 -10000 240037'].map((line) =>
  line.replace(/ (\d\d:\d\d):00 /, (_, time: string) => ` 2026-11-24T${time}:00.000Z `),
);

describe('a bank statement', () => {
  it.each([
    [
      'with a title, empty rows, and totals below',
      [
        'Bank of X',
        '',
        HEADER,
        '24/11/2026,15:30,QR,,"1,500.37","2,500.37"',
        '24-11-26,15:31,Fee,100.00,,"2,400.37"',
        ',,Total,100.00,1500.37,',
      ],
    ],
    ['newest first', [HEADER, '24/11/2026,15:31,Fee,(100.00),,2400.37', '24/11/2026,15:30,QR,,1500.37,2500.37']],
    [
      'of the Buddhist calendar, with Thai digits',
      [HEADER, '๒๔/๑๑/๒๕๖๙,๑๕:๓๐,QR,,๑๕๐๐.๓๗,๒๕๐๐.๓๗', '24/11/69,15:31,Fee,100.00-,,2400.37'],
    ],
    [
      'with ISO dates and another separator',
      [HEADER, '2026-11-24,15:30,QR,0.00,1500.37,2500.37', '2026-11-24,15:31,Fee,-100,-,2400.37'].map((row) =>
        row.replaceAll(',', ';'),
      ),
    ],
    [
      'with its header again on the next page',
      [HEADER, '24.11.2026,15:30,QR,,1500.37,2500.37', HEADER, '24.11.2026,15:31,Fee,100.00,,2400.37'],
    ],
    [
      'with lines that have only a balance',
      [
        HEADER,
        '24/11/2026,00:00,Brought forward,,,1000.00',
        '24/11/2026,15:30,QR,,1500.37,2500.37',
        '24/11/2026,15:31,Fee,100.00,,2400.37',
      ],
    ],
  ])('is read %s', (_, rows) => expect(read(rows)).toEqual(LINES));

  it('is read in its order if its newest line is a late one of the day before', () => {
    const rows = ['24/11/2026,15:30,QR,,1500.37,2500.37', '23/11/2026,15:31,Fee,100.00,,2400.37'];
    const lines = [LINES[0], '2026-11-23 2026-11-23T08:31:00.000Z -10000 240037'];
    expect(read([HEADER, ...rows])).toEqual(lines);
    expect(read([HEADER, ...rows.toReversed()])).toEqual(lines);
  });

  it('is read with one signed column, tabs and a zone in the time', () => {
    const rows = [
      'When\tSum\tLeft',
      '2026-11-24T15:30:00+07:00\t+1500.37\t2500.37',
      '2026-11-24T08:31:00Z\t-100.00\t2400.37',
    ];
    expect(read(rows, format('date=When;time=When;amount=Sum;balance=Left'))).toEqual(LINES);
  });

  it('is read by the numbers of columns, as KBank’s, with totals above the table', () => {
    const kbiz = format('in=6', { statement: 'kbiz' });
    const line = (cells: Record<number, string>): string =>
      Array.from({ length: 13 }, (_, index) => cells[index + 1] ?? '').join(',');
    const title = ['\ufeffรายการเดินบัญชีเงินฝากออมทรัพย์ (มีรายละเอียด)', 'a', 'b', 'c', 'd', '24/11/2026 - 24/11/2026', 'e'];
    const totals = [',closing,"2,400.37"', ',1,withdrawals,100.00', ',1,deposits,"1,500.37"', 'f'];
    const rows = [
      ...title,
      ...totals,
      line({ 2: 'Date', 5: 'Withdrawal', 6: 'Deposit', 9: 'Balance' }),
      line({ 2: '24-11-26', 3: '15:30', 4: 'Transfer', 6: '"1,500.37"', 9: '"2,500.37"', 13: 'From X1234' }),
      line({ 2: '24-11-26', 3: '15:31', 4: 'Fee', 5: '100.00', 9: '"2,400.37"' }),
    ];
    expect(read(rows, kbiz)).toEqual(LINES);
    expect(readStatement(Buffer.from(rows.join('\n')), kbiz, NOW).stated).toEqual({
      amounts: [240_037n, 10_000n, 150_037n],
      counts: [1, 1],
    });
    expect(read(rows.slice(0, -2), kbiz)).toEqual([]);
  });

  it('is read in the Thai code page of Windows', () => {
    const details = Buffer.from([0xe2, 0xcd, 0xb9]);
    const file = Buffer.concat([Buffer.from(`${HEADER}\n24/11/2026,15:30,`), details, Buffer.from(',,1.00,2.00\n')]);
    expect([...readStatement(file, PLAIN, NOW).lines]).toMatchObject([{ texts: ['โอน'], amount: 100n }]);
  });

  it('without lines is a quiet day', () => expect(read([HEADER])).toEqual([]));

  it('is refused if it is empty or has other columns', () => {
    expect(refusal([''])).toMatchObject({ code: 'EMPTY' });
    expect(refusal(['Date,Sum', '24/11/2026,1.00'])).toMatchObject({ code: 'UNKNOWN_COLUMNS' });
  });

  it('is refused with all its wrong lines named', () => {
    const { code, problems } = refusal([
      HEADER,
      '24/11/2026,15:30,QR,,1500.37,2500.37',
      '31/02/2026,15:30,QR,,1.00,2501.37',
      '24/11/2026,25:30,QR,,1.00,2501.37',
      '24/11/2026,15:30,QR,,1.234,2501.37',
      '24/11/2026,15:30,QR,1.00,1.00,2501.37',
      '24/11/2026,15:30,QR,,1.00,',
      '27/11/2026,15:30,QR,,1.00,2501.37',
      'today,15:30,QR,,1.00,2501.37',
      '24/11/2026,15:31,Fee,100.00,,2400.37',
    ]);
    expect(code).toBe('UNREADABLE');
    expect(problems.map((problem) => Number(/line (\d+)/.exec(problem)?.[1])).sort((a, b) => a - b)).toEqual([
      3, 4, 5, 6, 7, 8, 9,
    ]);
  });
});

describe('a refusal', () => {
  it('never repeats a text of the file, which may name a payer', () => {
    const { problems } = refusal([HEADER, '24/11/2026,15:30,Somchai "Jai",,1500.37,2500.37']);
    expect(problems).toEqual(['line 2: it is not written as CSV (INVALID_OPENING_QUOTE)']);
  });

  it('names a line with a time and no date, which is no total', () => {
    const { problems } = refusal([HEADER, '24/11/2026,15:30,QR,,1500.37,2500.37', ',15:31,Fee,100.00,,2400.37']);
    expect(problems).toEqual(['line 3: it has an amount and no date']);
  });
});

describe('a row below the table without date and time', () => {
  const rows = [HEADER, '24/11/2026,15:30,QR,,1500.37,2500.37', '24/11/2026,15:31,Fee,100.00,,2400.37'];

  it.each([
    ',,Total in,,"1,500.37",',
    ',,Total out,(100.00),,',
    ',,Left,,2400.37,',
    ',,Net,,1400.37,',
    ',,Total,100.00,1500.37,',
    ',,,Withdrawal,Deposit,Balance',
    ',,Printed by,,the bank,',
  ])('is no line: %s', (row) => expect(read([...rows, row])).toEqual(LINES));

  it.each([',,QR,,1500.38,', ',,QR,,20,', ',,Fee,1.00,,2399.37', ',,QR,,1.234,'])(
    'is refused if it is none of the totals: %s',
    (row) => {
      const problems = ['line 4: it has an amount and no date, and is no total of the lines'];
      expect(refusal([...rows, row])).toEqual({ code: 'UNREADABLE', problems });
    },
  );

  it('is refused with one signed column and no balances, too', () => {
    const signed = format('date=D;time=T;reference=R;amount=A', { reference_unique: 'true' });
    const lines = ['D,T,R,A', '24/11/2026,15:30,R1,20.00', '24/11/2026,15:31,R2,-5.00'];
    expect(read([...lines, ',,,15.00\n'], signed)).toHaveLength(2);
    expect(refusal([...lines, ',,R3,30.00\n'], signed)).toMatchObject({ code: 'UNREADABLE' });
  });
});

describe('a file without balances that ends in an amount', () => {
  const named = format('date=D;time=T;reference=R;in=I', { reference_unique: 'true' });
  const rows = ['D,T,R,I', '24/11/2026,15:30,R1,20.00'];

  it.each(['150', '1500', '1500.3'])('is refused at %s, for a digit may be missing', (amount) =>
    expect(refusal([...rows, `24/11/2026,15:31,R2,${amount}`], named)).toEqual({
      code: 'UNREADABLE',
      problems: ['line 3: the file ends in its amount, and may be cut'],
    }),
  );

  it.each(['1500.37', '1500\n', ''])('is read at %j', (amount) =>
    expect(read([...rows, `24/11/2026,15:31,R2,${amount}`], named)[0]).toMatch(/^2026-11-24 \S+ 2000 null$/),
  );
});

describe('a file in which no line has a date', () => {
  it.each(['date=1;time=2;in=4;balance=5', 'date=0;time=2;in=4;balance=5'])(
    'is no quiet day, read by %s',
    (columns) => {
      const { code } = refusal(['QR,15:30,24/11/2026,1500.37,2500.37'], format(columns));
      expect(code).toMatch(/UNREADABLE|UNKNOWN_COLUMNS/);
    },
  );

  it('is none without times, either', () => {
    const columns = readStatementFormat({ columns: 'date=1;in=3;balance=4' }, 'reference');
    if (!columns) throw new Error('no columns');
    expect(refusal(['QR,24/11/2026,1500.37,2500.37'], columns)).toMatchObject({ code: 'UNREADABLE' });
  });
});

function readMoment(date: string, time: string | null, now: Date): Moment | null {
  const day = readDay(date, now);
  return day && momentOn(day, time, now);
}

describe('a cell', () => {
  it.each(['03:30 PM', '3:30pm', '03:30 p.m.', '15:30 UTC', '15:30 GMT+7', '15:30:00 0'])(
    '%s is no time: what follows may be half a day or another zone',
    (text) => expect(readMoment('24/11/2026', text, NOW)).toBeNull(),
  );

  it.each(['15:30', '15:30 น.', '24/11/2026 15:30', '15:30:00.000123', '๑๕:๓๐', '08:30Z', '08:30+00', '16:30 +0800'])(
    '%s is a time',
    (text) => expect(readMoment('24/11/2026', text, NOW)?.at.toISOString()).toBe('2026-11-24T08:30:00.000Z'),
  );

  it.each([
    ['1,500.37', 150_037n],
    // As fractions of two, 100 times these would be a little less.
    ['0.29', 29n],
    ['19.99', 1_999n],
    ['999,999,999,999.99', 99_999_999_999_999n],
    ['-1.00', -100n],
    ['1.00-', -100n],
    ['(1.00)', -100n],
    ['๑.๕', 150n],
    ['-', 0n],
    ['', 0n],
    ['1.234', null],
    ['1,50.00', null],
    ['1e3', null],
    ['--1', null],
    ['12abc', null],
  ])('%s is an amount of %s', (text, amount) => expect(readAmount(text)).toBe(amount));

  it.each([
    ['24-11-26', '2026-11-24'],
    ['1/2/2569', '2026-02-01'],
    ['2569-02-01', '2026-02-01'],
    ['29/02/2567', '2024-02-29'],
    ['24/11/2024', '2024-11-24'],
  ])('%s is the day %s', (text, day) => expect(readMoment(text, null, NOW)?.day).toBe(day));

  it.each(['30/02/2026', '13/13/2026', '27/11/2026', 'November', '24/11/2'])('%s is no day', (text) =>
    expect(readMoment(text, null, NOW)).toBeNull(),
  );
});

describe('columns', () => {
  it.each([
    ['time=T;in=I;balance=B', /date/],
    ['date=D;time=T;balance=B', /must name in, or amount/],
    ['date=D;time=T;amount=A;in=I;balance=B', /not both/],
    ['date=D;in=I;balance=B', /column time/],
    ['date=D;time=T;in=I', /column balance/],
    ['date=D;time=T;in=I;balance=B;date=E', /twice/],
    ['datum=D', /NAME is one of date, time/],
    ['date', /NAME is one of date, time/],
  ])('%s are refused', (columns, message) => expect(() => format(columns)).toThrow(message));

  it('without a time or a balance are taken where payments have references', () => {
    const options = { columns: 'date=D;in=I;reference=R', reference_unique: 'true' };
    expect(readStatementFormat(options, 'reference')).toMatchObject({ isReferenceUnique: true });
    expect(() => readStatementFormat({ ...options, columns: 'date=D;in=I;balance=B' }, 'reference')).toThrow(
      /column reference/,
    );
  });
});
