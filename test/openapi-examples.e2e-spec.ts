import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestStack, type TestMerchant } from './support/stack.js';

interface Media {
  examples?: Record<string, { summary: string; value: Record<string, unknown> }>;
}
interface Operation {
  requestBody?: { content: { 'application/json': Media } };
}

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

type Example = [route: string, summary: string, value: Record<string, unknown>];

const examples = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) =>
    Object.values(requestBody?.content['application/json'].examples ?? {}).map(({ summary, value }): Example => [
      `${method.toUpperCase()} ${path}`,
      summary,
      value,
    ]),
  ),
);

let stack: TestStack;
let merchant: TestMerchant;
let sandboxMerchant: TestMerchant;
let id: number;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  for (const sku of ['MLBB-86', 'MLBB-172']) await stack.product('35.00', { sku, requiresServer: true });
  [merchant, sandboxMerchant] = [await stack.merchant(), await stack.sandboxMerchant()];
  const url = 'http://127.0.0.1:9/hook';
  ({ id } = (await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', { url })).body);
});

afterAll(() => stack.close());

describe('the examples of requests in openapi.json', () => {
  it('exist for every request with a body', () => {
    const bodies = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) =>
        requestBody ? [`${method.toUpperCase()} ${path}`] : [],
      ),
    );
    expect([...new Set(examples.map(([route]) => route))]).toEqual(bodies);
  });

  it.each(examples)('work: %s, %s', async (route, _summary, value) => {
    const [method = '', path = ''] = route.split(' ');
    // The service looks up the host of a webhook at its registration. The host of the example does not exist.
    const body = 'url' in value ? { ...value, url: 'http://127.0.0.1:9/hook' } : value;
    // Only the sandbox has a channel for deposits here.
    const { client } = /^\/v1\/(sandbox|deposits)/.test(path) ? sandboxMerchant : merchant;
    const own = path.replace('{id}', String(id)).replace('{reference_id}', 'deposit-1001');
    const answer = await client.send(method, own, body);
    expect([answer.status, answer.body]).toEqual([path === '/v1/merchant-webhooks' ? 201 : 200, expect.any(Object)]);
  });
});
