import { TestStack, type OrderBody } from '../support/stack.js';
import { Endpoints, Hooks, startWorker, type WorkerChanges } from './support.js';

/** The service with a worker, endpoints and a product. Each test gets a new merchant. */
export class Scene {
  hooks!: Hooks;

  private constructor(
    readonly stack: TestStack,
    readonly endpoints: Endpoints,
    readonly sku: string,
    private readonly stopWorker: () => Promise<void>,
  ) {}

  static async start(changes: WorkerChanges = {}): Promise<Scene> {
    const stack = await TestStack.start({}, { worker: false });
    const worker = await startWorker(stack, changes);
    const endpoints = await new Endpoints().listen();
    return new Scene(stack, endpoints, await stack.product('10.00'), () => worker.close());
  }

  async newMerchant(): Promise<void> {
    this.hooks = new Hooks(await this.stack.merchant());
  }

  order(): Promise<OrderBody> {
    return this.stack.order(this.hooks.merchant, [{ sku: this.sku }]);
  }

  async close(): Promise<void> {
    await this.stopWorker();
    await this.stack.close();
    await this.endpoints.close();
  }
}
