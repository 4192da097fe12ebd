import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (values: number[]): number => percentile(values, 0.5);

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

/** Prints rounds and result as a table, and writes them as JSON beside the benchmark. */
export function report(
  name: string,
  rounds: Record<string, number | string>[],
  result: Record<string, number | string>,
): void {
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  console.table(rounds);
  console.table(result);
  console.log(machine);
  const file = new URL(`../results/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify({ name, machine, result, rounds }, null, 2)}\n`);
}
