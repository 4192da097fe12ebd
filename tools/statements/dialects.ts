import { bahtOf } from './answers.js';
import { type Dialect, INTEREST, type Movement, OWN_TRANSFER } from './model.js';
import type { Random } from './random.js';

/** How a file is written, which differs from one file to the next. */
interface Style {
  readonly thaiCodePage: boolean;
  readonly buddhist: boolean;
  readonly newestFirst: boolean;
  readonly delimiter: string;
}

/** A line with the balance after it. */
export interface Line extends Movement {
  readonly balance: number;
}

const BUDDHIST = 543;
const BANGKOK_MS = 7 * 3_600_000;
const IGNORED = `${INTEREST};${OWN_TRANSFER}`;
/** Two readers of this layout disagree about the column of deposits. */
const kbizDeposit = (index: number): 6 | 7 => (index % 2 === 0 ? 6 : 7);

/** The options of a channel that reads this dialect. */
export function channelOptions(dialect: Dialect, index: number, random: Random): Record<string, string> {
  if (dialect === 'bill') {
    const columns = 'date=Date;time=Time;text=Channel;details=Payer;amount=Amount;balance=Balance;reference=Ref1';
    return { biller_id: `1${random.digits(14)}`, columns, ignore: IGNORED };
  }
  const payee = { promptpay_id: `08${random.digits(8)}`, ignore: IGNORED };
  if (dialect === 'kbiz') return { ...payee, statement: 'kbiz', columns: `in=${kbizDeposit(index)}` };
  const columns = 'date=Date;time=Time;text=Descriptions;details=Details;out=Withdrawal;in=Deposit;balance=Balance';
  return { ...payee, columns };
}

/** The style of a file by its number: every second in the Thai code page, every third Buddhist, every fourth newest first. */
const styleOf = (number: number): Style => ({
  thaiCodePage: number % 2 === 1,
  buddhist: number % 3 === 1,
  newestFirst: number % 4 === 2,
  delimiter: [',', ';', '\t'][number % 3] ?? ',',
});

/** Writes the lines of whole days, oldest first, of the account `index`. */
export function fileOf(dialect: Dialect, lines: readonly Line[], number: number, index: number): Buffer {
  const style = styleOf(number);
  const columns = columnsOf(dialect, index);
  const rows = lines.map((line) => columns.map(([, cell]) => cell(line, clockOf(line.atMs, style))));
  if (style.newestFirst) rows.reverse();
  const head = dialect === 'kbiz' ? kbizHead(lines) : [];
  const [ins, outs] = [sumOf(lines, 1), sumOf(lines, -1)];
  const foot = dialect === 'plain' ? [['', '', 'Total', '', outs.total, ins.total, '']] : [];
  const delimiter = dialect === 'kbiz' ? ',' : style.delimiter;
  const quoted = (cell: string): string => (cell.includes(delimiter) ? `"${cell}"` : cell);
  const table = [...head, columns.map(([header]) => header), ...rows, ...foot];
  const text = table.map((cells) => `${cells.map(quoted).join(delimiter)}\r\n`).join('');
  return style.thaiCodePage ? inThaiCodePage(text) : Buffer.from(`\ufeff${text}`);
}

type Clock = Record<'year' | 'month' | 'day' | 'minute' | 'second', string>;
type Column = readonly [header: string, cell: (line: Line, clock: Clock) => string];

function columnsOf(dialect: Dialect, index: number): Column[] {
  const text = (line: Line): string => line.text;
  const details = (line: Line): string => line.details;
  const minute = (_: Line, clock: Clock): string => clock.minute;
  const out = ({ amount }: Line): string => (amount < 0 ? thousands(-amount) : '');
  const into = ({ amount }: Line): string => (amount > 0 ? thousands(amount) : '');
  const balance = (line: Line): string => thousands(line.balance);
  if (dialect === 'kbiz') {
    const columns = Array<Column>(13).fill(['', () => '']);
    columns[kbizDeposit(index) - 1] = ['ฝากเงิน', into];
    return Object.assign(columns, {
      1: ['วันที่', (_: Line, { day, month, year }: Clock) => `${day}-${month}-${year.slice(2)}`],
      2: ['เวลา', minute],
      3: ['รายการ', text],
      4: ['ถอนเงิน', out],
      8: ['ยอดคงเหลือ', balance],
      12: ['รายละเอียด', details],
    });
  }
  if (dialect === 'plain') {
    const date: Column = ['Date', (_, { day, month, year }) => `${day}/${month}/${year}`];
    const texts: Column[] = [
      ['Time', minute],
      ['Descriptions', text],
      ['Details', details],
    ];
    return [date, ...texts, ['Withdrawal', out], ['Deposit', into], ['Balance', balance]];
  }
  return [
    ['Date', (_, { day, month, year }) => `${year}-${month}-${day}`],
    ['Time', (_, clock) => `${clock.minute}:${clock.second}`],
    ...([
      ['Channel', text],
      ['Ref1', (line) => line.reference],
      ['Payer', details],
    ] as Column[]),
    ['Amount', ({ amount }) => bahtOf(amount)],
    ['Balance', (line) => bahtOf(line.balance)],
  ];
}

/** The rows above the table: the period in row 6, the balance and totals in rows 8 to 10, the header in row 12. */
function kbizHead(lines: readonly Line[]): string[][] {
  const [first, last] = [lines[0], lines.at(-1)].map((line) => bankDay(line?.atMs ?? 0));
  const [ins, outs] = [sumOf(lines, 1), sumOf(lines, -1)];
  return [
    ['รายการเดินบัญชีเงินฝากออมทรัพย์ (มีรายละเอียด)'],
    ['บริษัท ตัวอย่าง จำกัด'],
    ['เลขที่บัญชี', 'xxx-x-x1234-x'],
    [''],
    [''],
    ['ระหว่างวันที่', `${first} - ${last}`],
    [''],
    ['ยอดเงินคงเหลือ', thousands(lines.at(-1)?.balance ?? 0)],
    ['รวมถอนเงิน', outs.count, outs.total],
    ['รวมฝากเงิน', ins.count, ins.total],
    [''],
  ];
}

/** The day in Bangkok, as ISO writes it. */
export const bankDay = (atMs: number): string => new Date(atMs + BANGKOK_MS).toISOString().slice(0, 10);

function clockOf(atMs: number, { buddhist }: Style): Clock {
  const [, year = '', month = '', day = '', minute = '', second = ''] =
    /^(\d+)-(\d+)-(\d+)T(\d+:\d+):(\d+)/.exec(new Date(atMs + BANGKOK_MS).toISOString()) ?? [];
  return { year: String(Number(year) + (buddhist ? BUDDHIST : 0)), month, day, minute, second };
}

function sumOf(lines: readonly Line[], sign: 1 | -1): { count: string; total: string } {
  const amounts = lines.map(({ amount }) => amount * sign).filter((amount) => amount > 0);
  return { count: String(amounts.length), total: thousands(amounts.reduce((sum, amount) => sum + amount, 0)) };
}

const thousands = (satang: number): string => bahtOf(satang).replace(/\B(?=(\d{3})+\.)/g, ',');

/** windows-874 has the Thai letters from 0xA1 on, in the order of Unicode. */
const inThaiCodePage = (text: string): Buffer =>
  Buffer.from(Array.from(text, (letter) => letter.charCodeAt(0)).map((code) => (code < 0xe01 ? code : code - 0xd60)));
