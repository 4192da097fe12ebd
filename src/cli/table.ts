import stringWidth from 'fast-string-width';

/** Colours a cell of a column. @param isHead whether the cell stands above the rule. */
export type Paint = (cell: string, column: number, isHead: boolean) => string;

/**
 * Draws lines of cells in a frame, with a rule below the head. It takes linear time, so that a catalogue of many thousand
 * products can be listed.
 * @param paint colours a cell; must not change its text.
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

/** Invisible characters, which the library counts as a column each. Keeps the zero-width joiner, which joins emoji into one. */
const INVISIBLE = /(?!\u200d)\p{Cf}/gu;

/** The width of a text in columns of a terminal. */
export const widthOf = (text: string): number => stringWidth(text.replace(INVISIBLE, ''));
