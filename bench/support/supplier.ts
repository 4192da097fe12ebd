import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A supplier in a process of its own that sells everything, at once or after the milliseconds of a user id such as
 * `slow-200`, and remembers its sales. The SKU `SOLD-OUT` is sold out. It stores nothing on disk, because only its speed
 * matters here.
 */
const sold = new Map<string, object>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = (status: number, body: object): void => {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
      response.end(text);
    };
    if (request.method === 'GET') {
      const known = sold.get(decodeURIComponent(request.url?.split('/').at(-1) ?? ''));
      return known ? answer(200, known) : answer(404, { code: 'NOT_FOUND' });
    }
    const order = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const { reference = '', user_id: user = '', sku } = order;
    if (sku === 'SOLD-OUT') return answer(422, { failure_code: 'OUT_OF_STOCK', failure_message: 'None left' });
    const sell = (): void => {
      const result = { reference, status: 'succeeded', supplier_reference: `S${sold.size}` };
      sold.set(reference, result);
      answer(200, result);
    };
    const [, ms] = /^slow-(\d+)$/.exec(user) ?? [];
    if (ms === undefined) sell();
    else setTimeout(sell, Number(ms));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
