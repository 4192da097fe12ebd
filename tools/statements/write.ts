import { bahtOf } from './answers.js';
import { bankDay, fileOf, type Line } from './dialects.js';
import type { Created, Movement, Order } from './model.js';
import { type Fated, movementsOf } from './movements.js';
import { planOf } from './plan.js';

export interface StatementFile {
  /** The names are in the order in which to import the files. */
  readonly name: string;
  readonly channel: string;
  readonly content: Buffer;
}

export interface Written {
  readonly files: readonly StatementFile[];
  /** Each line that came in, with the deposit that the payer meant. */
  readonly truth: string;
  /** Planned deposits that were not made. */
  readonly missing: number;
}

const OPENING = 100_000_000;
const OVERLAPS_EACH = 3;

/** The statements of deposits that were made, and what is true of them. Same order and answers, same bytes. */
export function statementsOf(order: Order, answers: ReadonlyMap<string, Created>): Written {
  const { channels, deposits, fates } = planOf(order);
  const files: StatementFile[] = [];
  const truth = ['channel,paid_at,amount,kind,merchant,reference_id,deposit_number'];
  const named = new Map(
    deposits.flatMap((deposit) => {
      const created = answers.get(deposit.reference_id);
      return created ? [[created, deposit] as const] : [];
    }),
  );
  channels.forEach(({ code }, index) => {
    const own = deposits.flatMap(({ channel, reference_id }, at): Fated[] => {
      const created = channel === code ? answers.get(reference_id) : undefined;
      return created ? [{ created, fate: fates[at] ?? 'unpaid' }] : [];
    });
    const movements = movementsOf(own, { ...order, index, count: channels.length });
    for (const lines of exportsOf(withBalances(movements), files.length)) {
      const number = files.length;
      const name = `${String(number + 1).padStart(5, '0')}-${code}-${bankDay(lines.at(-1)?.atMs ?? 0)}.csv`;
      files.push({ name, channel: code, content: fileOf(order.dialect, lines, number, index) });
    }
    for (const { atMs, amount, kind, deposit } of movements.filter((each) => each.amount > 0)) {
      const { merchant = '', reference_id = '' } = (deposit && named.get(deposit)) ?? {};
      const moment = new Date(order.dialect === 'bill' ? atMs - (atMs % 1_000) : atMs - (atMs % 60_000));
      truth.push(
        [code, moment.toISOString(), bahtOf(amount), kind, merchant, reference_id, deposit?.number ?? ''].join(),
      );
    }
  });
  return { files, truth: `${truth.join('\n')}\n`, missing: deposits.length - named.size };
}

function withBalances(movements: readonly Movement[]): Line[] {
  let balance = OPENING;
  return movements.map((movement) => ({ ...movement, balance: (balance += movement.amount) }));
}

/** Files of a day each. Every third overlaps: it is there from the day before on, after one that ends in the middle of its day. */
function exportsOf(lines: readonly Line[], already: number): Line[][] {
  const days = [...new Set(lines.map(({ atMs }) => bankDay(atMs)))];
  const files: Line[][] = [];
  days.forEach((day, at) => {
    const ofDays = (...some: (string | undefined)[]): Line[] =>
      lines.filter(({ atMs }) => some.includes(bankDay(atMs)));
    const whole = ofDays(day);
    const isThird = (already + files.length + 1) % OVERLAPS_EACH === 0;
    if (!isThird) return files.push(whole);
    return files.push(whole.slice(0, Math.ceil(whole.length / 2)), ofDays(days[at - 1], day));
  });
  return files;
}
