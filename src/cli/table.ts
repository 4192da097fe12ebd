import stringWidth from 'fast-string-width';

/** How a cell of a column looks; `isHead` for the line above the rule. */
export type Paint = (cell: string, column: number, isHead: boolean) => string;

/**
 * Draws lines of cells in a frame, with a rule below the first where that is the head. Its time grows with the cells
 * and no faster, so that a catalogue of many thousand products can be listed.
 * @param paint colours a cell; it must not change what the cell says.
 */
export function drawTable(
  lines: string[][],
  { head, paint = (cell) => cell }: { head: boolean; paint?: Paint },
): string {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))));
  }
  const rule = (left: string, between: string, right: string): string =>
    left + widths.map((width) => '─'.repeat(width + 2)).join(between) + right;
  const pad = (cell: string, column: number): string => ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  const draw = (line: string[], isHead = false): string =>
    `│ ${line.map((cell, column) => paint(cell, column, isHead) + pad(cell, column)).join(' │ ')} │`;
  const [first = [], ...others] = lines;
  return [
    rule('┌', '┬', '┐'),
    draw(first, head),
    ...(head ? [rule('├', '┼', '┤')] : []),
    ...others.map((line) => draw(line)),
    rule('└', '┴', '┘'),
  ].join('\n');
}

/** What is not seen, and is nothing to the library: it would count a column. A joiner makes one emoji of several. */
const INVISIBLE = /(?!\u200d)\p{Cf}/gu;

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number => stringWidth(text.replace(INVISIBLE, ''));
