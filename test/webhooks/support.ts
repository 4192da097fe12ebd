import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SchemaService } from '../../src/database/schema.service.js';
import { NestLogger } from '../../src/core/logger.js';
import type { Config } from '../../src/core/config.js';
import { RESOLVE } from '../../src/webhooks/webhook-destinations.service.js';
import type { Resolve } from '../../src/core/safe-http/resolve.js';
import { AttemptTiming } from '../../src/webhooks/webhook-sender.js';
import { WorkerModule } from '../../src/worker.module.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { problemOfDelivery } from '../support/openapi-check.js';
import type { Answer } from '../support/http.js';
import type { Receives } from '../support/webhook-receiver.js';
import { unique, type TestMerchant, type TestStack } from '../support/stack.js';

/** A request as it arrived at an endpoint. */
export interface Arrival {
  path: string;
  headers: Record<string, string>;
  /** The header names as they were sent, in order. */
  headerNames: string[];
  body: string;
  /** Monotonic milliseconds. */
  atMs: number;
}

type Answering = (response: ServerResponse, arrival: Arrival, number: number) => void;

/**
 * A merchant's endpoints on a real socket. Each path has its own answers, 204 by default. Requests are compared with
 * openapi.json: `at` and `close` throw for a wrong one.
 */
export class Endpoints {
  readonly arrivals: Arrival[] = [];
  private readonly problems: string[] = [];

  /** @param what the kind of requests: those that a test made up are not compared with the document. */
  constructor(private readonly what: Receives = 'events') {}

  private readonly answers = new Map<string, Answering>();
  private readonly server: Server = createServer((request, response) => void this.receive(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** A new path. `answer` is called with 1 for the first request, 2 for the second, and so on. */
  add(answer: Answering = (response) => void response.writeHead(204).end()): string {
    const path = `/${unique('endpoint')}`;
    this.answers.set(path, answer);
    return this.url(path);
  }

  /** The same, with these statuses one after the other; the last one is repeated. */
  answering(...statuses: number[]): string {
    return this.add((response, _arrival, number) => {
      response.writeHead(statuses[Math.min(number, statuses.length) - 1] ?? 204).end('as scripted');
    });
  }

  /** A path that never answers. */
  silent(): string {
    return this.add(() => {});
  }

  /**
   * A path that answers after a while, and counts the requests in progress.
   * @param together the number of requests that must arrive before it answers the first.
   */
  slow(ms: number, together = 1): { url: string; most: () => number } {
    let open = 0;
    let most = 0;
    const wereTogether = deferred<void>();
    const url = this.add((response) => {
      most = Math.max(most, ++open);
      if (most >= together) wereTogether.resolve();
      void wereTogether.promise.then(() =>
        setTimeout(() => {
          open--;
          response.writeHead(204).end();
        }, ms),
      );
    });
    return { url, most: () => most };
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  at(url: string): Arrival[] {
    this.throwProblems();
    const { pathname } = new URL(url);
    return this.arrivals.filter(({ path }) => path === pathname);
  }

  arrived(url: string, count = 1): Promise<Arrival[]> {
    return eventually(
      () => this.at(url),
      (arrivals) => arrivals.length >= count,
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.throwProblems();
  }

  private throwProblems(): void {
    if (this.problems.length > 0) throw new Error(this.problems.join('\n'));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = request.url ?? '';
    const arrival = {
      path,
      headers: request.headers as Record<string, string>,
      headerNames: request.rawHeaders.filter((_text, index) => index % 2 === 0),
      body: Buffer.concat(chunks).toString(),
      atMs,
    };
    this.arrivals.push(arrival);
    const problem = this.what === 'events' ? problemOfDelivery(arrival.headers, arrival.body) : null;
    if (problem !== null) this.problems.push(problem);
    this.answers.get(path)?.(response, arrival, this.arrivals.filter((each) => each.path === path).length);
  }
}

export interface WebhookBody {
  id: number;
  url: string;
  status: string;
  secret?: string;
  secret_hint: string;
  events: string[];
  max_retries: number;
  retry_delay: number;
  created_at: string;
  updated_at: string;
}

export interface Delivery {
  id: number;
  webhook_id: number;
  event_id: string;
  event: string;
  reference_id: string | null;
  status: string;
  attempt_count: number;
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface Attempt {
  number: number;
  started_at: string;
  duration_ms: number;
  response_status: number | null;
  error: string | null;
  response_body: string | null;
}

export type DeliveryDetail = Delivery & { attempts: Attempt[] };

const PATH = '/v1/merchant-webhooks';

/** A merchant's webhooks and deliveries, over the API. */
export class Hooks {
  constructor(readonly merchant: TestMerchant) {}

  /** Registers an endpoint, and expects success. Its retries come after a second. */
  async register(url: string, members: object = {}): Promise<WebhookBody> {
    const { status, body } = await this.merchant.client.post<WebhookBody>(PATH, {
      url,
      retry_delay: 1,
      ...members,
    });
    if (status !== 201) throw new Error(`the webhook was refused: ${JSON.stringify(body)}`);
    return body;
  }

  get(id: number): Promise<Answer<WebhookBody>> {
    return this.merchant.client.get<WebhookBody>(`${PATH}/${id}`);
  }

  async patch(id: number, members: object): Promise<WebhookBody> {
    const { status, body } = await this.merchant.client.patch<WebhookBody>(`${PATH}/${id}`, members);
    if (status !== 200) throw new Error(`the change was refused: ${JSON.stringify(body)}`);
    return body;
  }

  async remove(id: number): Promise<void> {
    const { status } = await this.merchant.client.delete(`${PATH}/${id}`);
    if (status !== 200) throw new Error(`the webhook was not deleted: ${status}`);
  }

  test(id: number, body?: unknown): Promise<Answer<Delivery>> {
    return this.merchant.client.post<Delivery>(`${PATH}/${id}/test`, body);
  }

  retry({ id, webhook_id }: Pick<Delivery, 'id' | 'webhook_id'>, body?: unknown): Promise<Answer<Delivery>> {
    return this.merchant.client.post<Delivery>(`${PATH}/${webhook_id}/deliveries/${id}/retry`, body);
  }

  page(id: number, query = ''): Promise<Answer<{ data: Delivery[]; next_cursor: string | null }>> {
    return this.merchant.client.get(`${PATH}/${id}/deliveries${query}`);
  }

  async deliveries(id: number, query = '?limit=100'): Promise<Delivery[]> {
    return (await this.page(id, query)).body.data;
  }

  async detail({ id, webhook_id }: Pick<Delivery, 'id' | 'webhook_id'>): Promise<DeliveryDetail> {
    return (await this.merchant.client.get<DeliveryDetail>(`${PATH}/${webhook_id}/deliveries/${id}`)).body;
  }

  /** The newest delivery of a webhook with its attempts, once it passes the check. */
  newest(id: number, passes: (delivery: DeliveryDetail) => boolean): Promise<DeliveryDetail> {
    const ask = async (): Promise<DeliveryDetail | undefined> => {
      const [delivery] = await this.deliveries(id, '?limit=1');
      return delivery && this.detail(delivery);
    };
    return eventually(ask, (delivery) => delivery !== undefined && passes(delivery)) as Promise<DeliveryDetail>;
  }

  newestIs(id: number, status: string): Promise<DeliveryDetail> {
    return this.newest(id, (delivery) => delivery.status === status);
  }
}

export interface WorkerChanges {
  timing?: Partial<AttemptTiming>;
  resolve?: Resolve;
  config?: Partial<Config>;
}

/** A worker like its own process, but with other times, another name server or another configuration. */
export async function startWorker(stack: TestStack, changes: WorkerChanges): Promise<INestApplicationContext> {
  const config = { ...stack.config, ...changes.config };
  const building = Test.createTestingModule({ imports: [WorkerModule.register(config, stack.logger)] })
    .setLogger(new NestLogger(stack.logger))
    .overrideProvider(AttemptTiming)
    .useValue({ ...new AttemptTiming(), ...changes.timing });
  if (changes.resolve) building.overrideProvider(RESOLVE).useValue(changes.resolve);
  const worker = await (await building.compile()).init();
  await worker.get(SchemaService).whenReady();
  return worker;
}

/** The workers of one test. */
export class Workers {
  private readonly running: INestApplicationContext[] = [];

  async start(stack: TestStack, changes: WorkerChanges = {}): Promise<INestApplicationContext> {
    const worker = await startWorker(stack, changes);
    this.running.push(worker);
    return worker;
  }

  async close(): Promise<void> {
    await Promise.all(this.running.splice(0).map((worker) => worker.close()));
  }
}

/** Waits until so many of a webhook's deliveries have the status. */
export async function deliveriesAre(stack: TestStack, webhookId: number, status: string, count: number): Promise<void> {
  const ask = `SELECT status FROM webhook_deliveries WHERE webhook_id = $1`;
  await eventually(
    () => stack.sql<{ status: string }>(ask, [webhookId]),
    (rows) => rows.filter((row) => row.status === status).length === count,
  );
}
