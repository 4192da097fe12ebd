import { counted } from '../core/text.js';

/** The line about archived orders in a report; none without such orders. @param orders how many orders the report lacks. */
export const archivedIn = (orders: number, which: string, consequence: string): string[] =>
  orders === 0
    ? []
    : [
        `${counted(orders, 'order')} ${which} ${orders === 1 ? 'is' : 'are'} archived: ${consequence}. See topup month archives.`,
      ];
