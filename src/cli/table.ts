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

/** Marks above and below a letter, as Thai has them, take no place of their own. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;
const TWICE_AS_WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  const visible = text.replace(WITHOUT_WIDTH, '');
  return [...visible].length + (visible.match(TWICE_AS_WIDE)?.length ?? 0);
}
