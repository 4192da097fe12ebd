import { ERROR_ADVICE, FAILURE_ADVICE } from '../../src/api-docs/error-guide.js';
import { DETAIL_CODES, HTTP_STATUS, type ErrorCode } from '../../src/core/errors.js';
import { FAILURE_CODES } from '../../src/core/failures.js';
import { permissionRows } from './permission-table.js';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replace(/ --- /g, '---');

const code = (name: string): string => `\`${name}\``;

/** The tables made from the code, by the names in the documents' marks. */
const TABLES: Readonly<Record<string, () => string>> = {
  'error-codes': () =>
    table(
      ['code', 'status', 'when', 'what to do'],
      (Object.keys(HTTP_STATUS) as ErrorCode[]).map((name) => {
        const { when, then } = ERROR_ADVICE[name];
        return [code(name), String(HTTP_STATUS[name]), when, then];
      }),
    ),
  'detail-codes': () =>
    table(
      ['code', 'meaning'],
      Object.entries(DETAIL_CODES).map(([name, meaning]) => [code(name), meaning]),
    ),
  'failure-codes': () =>
    table(
      ['code', 'meaning', 'can the buyer fix it?', 'may a new order work?'],
      FAILURE_CODES.map((name) => {
        const { meaning, buyer, again } = FAILURE_ADVICE[name];
        return [code(name), meaning, buyer, again];
      }),
    ),
  'console-roles': () => {
    const { head, rows } = permissionRows();
    return table(head, rows);
  },
};

const PLACE = /(<!-- table: ([a-z-]+) -->\n)[\s\S]*?(\n<!-- \/table -->)/g;

/** Writes the current tables into Markdown. @throws if a mark names an unknown table. */
export const withTables = (markdown: string): string =>
  markdown.replace(PLACE, (_, begin: string, name: string, end: string) => {
    const make = TABLES[name];
    if (!make) throw new Error(`there is no table ${name}`);
    return `${begin}\n${make()}\n${end}`;
  });
