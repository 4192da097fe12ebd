/** An enumeration's description: a sentence, and what each value means. */
export const meanings = (sentence: string, values: Readonly<Record<string, string>>): string =>
  [
    `${sentence}:`,
    '',
    ...Object.entries(values).map(([value, meaning]) => `- \`${value}\`: ${meaning}`),
  ].join('\n');
