import type { EventDto } from './event.dto.js';
import type { EventRow } from './events.repository.js';

/** The event as it was written; in JSON again, it is the very bytes that webhooks carry. */
export const toEventDto = ({ body }: Pick<EventRow, 'body'>): EventDto => JSON.parse(body) as EventDto;
