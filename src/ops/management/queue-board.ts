import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bull';
import type { Router } from 'express';

/** Bull Board over these queues, to look at only. @param path where it is served. */
export function createQueueBoard(path: string, queues: Queue[]): Router {
  const board = new ExpressAdapter();
  board.setBasePath(path);
  createBullBoard({
    queues: queues.map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
    serverAdapter: board,
  });
  return board.getRouter() as Router;
}
