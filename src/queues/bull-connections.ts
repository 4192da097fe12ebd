import type { Queue } from 'bull';
import type { Cluster, Redis } from 'ioredis';

export type Connection = Redis | Cluster;

/** Members that Bull does not declare: its connections, and which of them are open. */
interface Connections {
  client: Connection;
  clientInitialized?: boolean;
  eclient: Connection;
  subscriberInitialized?: boolean;
  bclient: Connection;
  bclientInitialized?: boolean;
}

/** The open connections of a queue. Reads no other one, because Bull opens a connection when code first reads it. */
export function openConnections(queue: Queue): Partial<Record<'client' | 'subscriber' | 'blocking', Connection>> {
  const of = queue as unknown as Connections;
  return {
    ...(of.clientInitialized ? { client: of.client } : {}),
    ...(of.subscriberInitialized ? { subscriber: of.eclient } : {}),
    ...(of.bclientInitialized ? { blocking: of.bclient } : {}),
  };
}

/** Whether `close()` was called, even if it has not ended. */
export const isClosing = (queue: Queue): boolean =>
  (queue as unknown as { closing?: Promise<void> }).closing !== undefined;
