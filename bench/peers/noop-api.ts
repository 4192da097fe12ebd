import type { AddressInfo, Server } from 'node:net';

// The service's own API with one more route, which answers without placing an order. It measures the cost of HTTP, authentication
// and validation alone. It runs the build, as the service does.

interface Built {
  createApi: typeof import('../../src/bootstrap.js').createApi;
  loadConfig: typeof import('../../src/core/config.js').loadConfig;
  createLogger: typeof import('../../src/core/logger.js').createLogger;
  OrdersService: typeof import('../../src/orders/orders.service.js').OrdersService;
}

const built = async (file: string): Promise<unknown> => import(new URL(`../../dist/src/${file}`, import.meta.url).href);
const modules = await Promise.all(
  ['bootstrap.js', 'core/config.js', 'core/logger.js', 'orders/orders.service.js'].map(built),
);
const { createApi, loadConfig, createLogger, OrdersService } = Object.assign({}, ...modules) as Built;

const config = loadConfig(process.env);
const api = await createApi(config, createLogger(config, 'noop'));
const orders = api.get(OrdersService);
let answer: Awaited<ReturnType<typeof orders.create>> | undefined;
const create = orders.create.bind(orders);
// The first order is real. All later requests get its answer.
orders.create = async (...order: Parameters<typeof create>) => (answer ??= await create(...order));
await api.listen(0, '127.0.0.1');
process.send?.({ port: ((api.getHttpServer() as Server).address() as AddressInfo).port });
process.on('disconnect', () => process.exit(0));
