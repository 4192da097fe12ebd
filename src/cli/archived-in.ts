import { counted } from '../core/text.js';

/** The line in a report about archived orders, or none. @param orders how many the report lacks. */
export const archivedIn = (orders: number, which: string, consequence: string): string[] =>
  orders === 0
    ? []
    : [
        `${counted(orders, 'order')} ${which} ${orders === 1 ? 'is' : 'are'} archived: ${consequence}. See topup month archives.`,
      ];
