import type { Queue } from 'bull';
import type { Cluster, Redis } from 'ioredis';

export type Connection = Redis | Cluster;

/** Members of a queue that Bull's types do not declare: its connections, and whether each is open. */
interface Connections {
  client: Connection;
  clientInitialized?: boolean;
  eclient: Connection;
  subscriberInitialized?: boolean;
  bclient: Connection;
  bclientInitialized?: boolean;
}

/**
 * The open connections of a queue. Does not read the other connections, because Bull opens a connection when code first
 * reads it.
 */
export function openConnections(queue: Queue): Partial<Record<'client' | 'subscriber' | 'blocking', Connection>> {
  const of = queue as unknown as Connections;
  return {
    ...(of.clientInitialized ? { client: of.client } : {}),
    ...(of.subscriberInitialized ? { subscriber: of.eclient } : {}),
    ...(of.bclientInitialized ? { blocking: of.bclient } : {}),
  };
}

/** Whether `close()` of the queue was called, even if closing has not ended yet. */
export const isClosing = (queue: Queue): boolean =>
  (queue as unknown as { closing?: Promise<void> }).closing !== undefined;
