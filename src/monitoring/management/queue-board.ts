import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import type { AppViewRoute } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { Job, Queue } from 'bull';
import type { NextFunction, Request, Response, Router } from 'express';
import type { WakeUpJob } from '../../queues/queues.js';
import type { QueueBoardRepository, SubjectRow } from './queue-board.repository.js';

/** How the page finds and shows the rows whose ids a queue's jobs contain: suppliers or webhooks. */
interface Subject {
  /** `supplier` or `webhook`. */
  kind: string;
  list: (subjects: QueueBoardRepository, ids: number[]) => Promise<SubjectRow[]>;
  /** The members of a row that the page shows besides id and orders. */
  show: (row: SubjectRow) => object;
  /** The row's part of the job's name. */
  name: (row: SubjectRow) => string;
}

const SUPPLIER: Subject = {
  kind: 'supplier',
  list: (subjects, ids) => subjects.listSuppliers(ids),
  show: ({ label }) => ({ code: label }),
  name: ({ label }) => label,
};

const WEBHOOK: Subject = {
  kind: 'webhook',
  list: (subjects, ids) => subjects.listWebhooks(ids),
  show: ({ label }) => ({ merchant: label }),
  name: ({ id, label }) => `${id} of ${label}`,
};

/** A read-only Bull Board for the two queues. @param path where it is served. */
export function createQueueBoard(
  path: string,
  fulfilment: Queue<WakeUpJob>,
  webhooks: Queue<WakeUpJob>,
  subjects: QueueBoardRepository,
): Router {
  const board = new OwnHostAdapter();
  board.setBasePath(path);
  createBullBoard({
    queues: [new WakeUpAdapter(fulfilment, SUPPLIER, subjects), new WakeUpAdapter(webhooks, WEBHOOK, subjects)],
    serverAdapter: board,
  });
  return board.getRouter() as Router;
}

/** A job with more ids than this shows only their number in its name. */
const MAX_NAMED = 3;
/** The page looks up at most this many ids. The jobs on one page usually have fewer. */
const MAX_LOOKED_UP = 100;

/**
 * Shows the suppliers or webhooks of a wake-up. The job contains only their ids, because Redis must store nothing else. The page
 * reads names and orders from PostgreSQL, and shows only the ids if PostgreSQL does not answer.
 */
class WakeUpAdapter extends BullAdapter {
  private found = new Map<number, SubjectRow>();

  constructor(
    queue: Queue<WakeUpJob>,
    private readonly subject: Subject,
    private readonly subjects: QueueBoardRepository,
  ) {
    const description = `A job only names the ${subject.kind}s with work; the work itself is in PostgreSQL.`;
    super(queue, { readOnlyMode: true, description });
    this.setFormatter('name', ({ data }: { data: WakeUpJob }) => this.nameOf(data));
    this.setFormatter('data', ({ ids }: WakeUpJob) => ({
      [`${subject.kind}s`]: ids.map((id) => this.describe(id)),
    }));
  }

  override async getJobs(...args: Parameters<BullAdapter['getJobs']>): Promise<Job<WakeUpJob>[]> {
    const jobs = (await super.getJobs(...args)) as Job<WakeUpJob>[];
    await this.lookUp(jobs);
    return jobs;
  }

  override async getJob(id: string): Promise<Job<WakeUpJob> | undefined | null> {
    const job: Job<WakeUpJob> | undefined | null = await super.getJob(id);
    if (job) await this.lookUp([job]);
    return job;
  }

  private async lookUp(jobs: Job<WakeUpJob>[]): Promise<void> {
    const ids = [...new Set(jobs.flatMap(({ data }) => data.ids))].slice(0, MAX_LOOKED_UP);
    if (ids.length === 0) return;
    const rows = await this.subject.list(this.subjects, ids).catch(() => []);
    this.found = new Map(rows.map((row) => [row.id, row]));
  }

  private nameOf({ ids }: WakeUpJob): string {
    const { kind, name } = this.subject;
    if (ids.length > MAX_NAMED) return `${ids.length} ${kind}s`;
    const names = ids.map((id) => {
      const row = this.found.get(id);
      return row ? name(row) : String(id);
    });
    return `${kind}${ids.length > 1 ? 's' : ''} ${names.join(', ')}`;
  }

  private describe(id: number): object {
    const row = this.found.get(id);
    return row ? { id, ...this.subject.show(row), next_orders: row.next_orders } : { id };
  }
}

/** Bull Board's page links to a stylesheet with fonts on another host. The page works without this stylesheet. */
const FOREIGN_LINK = /<link[^>]*\bhref="(https?:)?\/\/[^>]*>\s*/g;

/** Serves the page without links to other hosts. */
class OwnHostAdapter extends ExpressAdapter {
  override setEntryRoute(entry: AppViewRoute): this {
    this.app[entry.method](entry.route, (_request: Request, response: Response, next: NextFunction) => {
      const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      response.render(name, params, (error: Error | null, html?: string) =>
        error ? next(error) : response.send(html?.replace(FOREIGN_LINK, '')),
      );
    });
    return this;
  }
}
