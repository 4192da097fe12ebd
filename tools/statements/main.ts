import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readAnswers } from './answers.js';
import { DIALECTS, type Order } from './model.js';
import { planOf } from './plan.js';
import { statementsOf } from './write.js';

const USAGE = `usage: npm run -s statements -- plan|write --seed S --payments N --dialect ${DIALECTS.join('|')} --dir DIR

plan writes channels.json and deposits.jsonl to DIR. Make these channels and deposits, and write the answer to each deposit
as a line of DIR/answers.jsonl. Then write adds the statements, in the order of their names, and truth.csv.`;

/** The arguments are wrong: the message says how. */
export class UsageError extends Error {}

/** Runs a command. @returns what it made, for standard output. @throws UsageError */
export function run(args: readonly string[]): object {
  const { command, dir, ...order } = readArguments(args);
  mkdirSync(dir, { recursive: true });
  const put = (name: string, content: Buffer | string): void => writeFileSync(path.join(dir, name), content);
  if (command === 'plan') {
    const { channels, deposits } = planOf(order);
    put('channels.json', `${JSON.stringify(channels, null, 2)}\n`);
    put('deposits.jsonl', deposits.map((deposit) => `${JSON.stringify(deposit)}\n`).join(''));
    return { channels: channels.length, deposits: deposits.length };
  }
  const { files, truth, missing } = statementsOf(
    order,
    readAnswers(readFileSync(path.join(dir, 'answers.jsonl'), 'utf8')),
  );
  for (const { name, content } of files) put(name, content);
  put('truth.csv', truth);
  return { files: files.map(({ name, channel }) => ({ name, channel })), missing };
}

function readArguments(args: readonly string[]): Order & { command: 'plan' | 'write'; dir: string } {
  const { positionals, values } = parsed(args);
  const [command, ...others] = positionals;
  const { seed = '', payments = '', dialect, dir } = values;
  const known = DIALECTS.find((each) => each === dialect);
  const isRight = /^[a-z0-9]{1,20}$/.test(seed) && /^[1-9]\d{0,6}$/.test(payments);
  if ((command !== 'plan' && command !== 'write') || others.length > 0 || !isRight || !known || !dir) {
    throw new UsageError(USAGE);
  }
  return { command, seed, payments: Number(payments), dialect: known, dir };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = { seed: text, payments: text, dialect: text, dir: text };
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}
