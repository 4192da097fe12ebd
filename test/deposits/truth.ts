/** A payment, as far as it is compared with the truth. */
export interface ComparedPayment {
  channel: string;
  paid_at: string;
  amount: string;
  state: string;
  deposit_number: string | null;
}

/** A row of `truth.csv`. */
export interface TruthRow {
  channel: string;
  paid_at: string;
  amount: string;
  kind: string;
  merchant: string;
  deposit_number: string;
}

export interface Comparison {
  /** Payments of merchants. */
  payments: number;
  withoutPerson: number;
  /** Booked payments that the truth gives to another deposit or to none. */
  wrong: string[];
  /** Payments that are there more often than in the truth. */
  twice: string[];
  lost: string[];
}

export function readTruth(csv: string): TruthRow[] {
  const [head = '', ...rows] = csv.trim().split('\n');
  const names = head.split(',');
  return rows.map((row) => {
    const cells = row.split(',');
    return Object.fromEntries(names.map((name, at) => [name, cells[at]])) as unknown as TruthRow;
  });
}

/** Compares payments with the truth. Payments of one channel, time and amount can only be compared together. */
export function compare(truth: readonly TruthRow[], payments: readonly ComparedPayment[]): Comparison {
  const key = ({ channel, paid_at, amount }: TruthRow | ComparedPayment): string => `${channel} ${paid_at} ${amount}`;
  const expected = grouped(truth, key);
  const found = grouped(payments, key);
  const result: Comparison = { payments: 0, withoutPerson: 0, wrong: [], twice: [], lost: [] };
  for (const name of new Set([...expected.keys(), ...found.keys()])) {
    const [rows, some] = [expected.get(name) ?? [], found.get(name) ?? []];
    if (some.length > rows.length) result.twice.push(name);
    if (some.length < rows.length) result.lost.push(name);
    const owners = rows.map(({ deposit_number }) => deposit_number).filter((number) => number !== '');
    result.payments += owners.length;
    for (const { deposit_number } of some.filter(({ state }) => state === 'booked')) {
      const at = owners.indexOf(deposit_number ?? '');
      if (at < 0) result.wrong.push(`${name} ${deposit_number}`);
      else {
        owners.splice(at, 1);
        result.withoutPerson++;
      }
    }
  }
  return result;
}

function grouped<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
