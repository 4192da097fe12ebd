import type { Queue } from 'bull';
import type { Cluster, Redis } from 'ioredis';

export type Connection = Redis | Cluster;

/** What Bull does not declare: its connections, and which of them were opened. */
interface Connections {
  client: Connection;
  clientInitialized?: boolean;
  eclient: Connection;
  subscriberInitialized?: boolean;
  bclient: Connection;
  bclientInitialized?: boolean;
}

/**
 * The connections of a queue that are open so far. Bull opens each when it is first asked for, so that none of them must be
 * touched before.
 */
export function openConnections(queue: Queue): Partial<Record<'client' | 'subscriber' | 'blocking', Connection>> {
  const of = queue as unknown as Connections;
  return {
    ...(of.clientInitialized ? { client: of.client } : {}),
    ...(of.subscriberInitialized ? { subscriber: of.eclient } : {}),
    ...(of.bclientInitialized ? { blocking: of.bclient } : {}),
  };
}

/** Whether it was told to close, be it over or not. */
export const isClosing = (queue: Queue): boolean =>
  (queue as unknown as { closing?: Promise<void> }).closing !== undefined;
