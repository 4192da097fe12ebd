import { counted } from '../core/text.js';

/** What a report says of orders that it lacks: a line, or none. @param orders how many. */
export const archivedIn = (orders: number, which: string, consequence: string): string[] =>
  orders === 0
    ? []
    : [
        `${counted(orders, 'order')} ${which} ${orders === 1 ? 'is' : 'are'} archived: ${consequence}. See topup month archives.`,
      ];
