import { counted } from '../core/text.js';

/**
 * A report's remark about archived orders; empty if there are none.
 * @param orders how many orders the report leaves out.
 * @param which describes these orders, such as `of these days`.
 */
export const archivedIn = (orders: number, which: string, consequence: string): string[] =>
  orders === 0
    ? []
    : [
        `${counted(orders, 'order')} ${which} ${orders === 1 ? 'is' : 'are'} archived: ${consequence}. See topup month archives.`,
      ];
