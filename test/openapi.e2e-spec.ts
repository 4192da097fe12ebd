import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELIVERED_EVENTS } from '../src/events/event.entity.js';
import { TestStack } from './support/stack.js';

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Answer {
  content?: Record<string, { schema: Schema }>;
  headers?: Record<string, { $ref?: string; schema?: Schema }>;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  security?: unknown;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: Answer & { required: boolean };
  responses: Record<string, Answer>;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Omit<Operation, 'parameters'> & { parameters: { $ref: string }[] } }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, { schema: Schema; description: string }>;
    parameters: Record<string, { name: string; in: string; required: boolean; description: string }>;
  };
}

let stack: TestStack;
let served: Document;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  served = (await (await fetch(`${stack.url}/docs-json`)).json()) as Document;
});

afterAll(() => stack.close());

describe('the OpenAPI document', () => {
  it('equals the committed openapi.json, which npm run openapi writes', () => {
    const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as Document;
    expect(served).toEqual(committed);
  });

  it('documents every operation with the API key, its answer and its errors', () => {
    for (const [path, operations] of Object.entries(served.paths)) {
      for (const [method, { security, responses }] of Object.entries(operations)) {
        const statuses = Object.keys(responses);
        expect([method, path, security]).toEqual([method, path, [{ 'api-key': [] }]]);
        expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
        expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
        for (const response of Object.values(responses)) expect(response.content).toBeDefined();
      }
    }
  });

  it('allows null in the way of OpenAPI 3.1, also in enumerations', () => {
    expect(served.openapi).toBe('3.1.0');
    let enumerations = 0;
    const visit = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      expect(part).not.toHaveProperty('nullable');
      const { type, enum: values } = part as Schema;
      if (Array.isArray(values) && type !== undefined) {
        expect([type, values.includes(null)]).toEqual([type, type.includes('null')]);
        if (values.includes(null)) enumerations++;
      }
      Object.values(part).forEach(visit);
    };
    visit(served);
    expect(enumerations).toBeGreaterThan(1);
  });

  it('declares every event as a webhook, with the headers of Standard Webhooks', () => {
    expect(Object.keys(served.webhooks)).toEqual([...DELIVERED_EVENTS]);
    for (const [event, { post }] of Object.entries(served.webhooks)) {
      const parameters = post.parameters.map(({ $ref }) => served.components.parameters[nameIn($ref)]);
      expect(parameters).toEqual(
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
          ...served.components.parameters[name],
          name,
          in: 'header',
          required: true,
          description: expect.any(String),
        })),
      );
      const body = post.requestBody?.content?.['application/json']?.schema.$ref ?? '';
      expect([event, schema(nameIn(body)).properties?.event?.const]).toEqual([event, event]);
      expect(Object.keys(post.responses).sort()).toEqual(['2XX', '410', '429', '503', 'default']);
    }
  });

  const operations = (): [route: string, operation: Operation][] =>
    Object.entries(served.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
    );
  /** The component that a reference names. */
  const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';
  const schema = (name: string): Schema => served.components.schemas[name] ?? {};

  it('has the members of operations that the linters of Redocly and Spectral require', () => {
    expect(served.servers[0]?.url).toBe('/');
    const ids = [
      ...operations().map(([, { operationId }]) => operationId),
      ...Object.values(served.webhooks).map(({ post }) => post.operationId),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    const tags = served.tags.filter(({ description }) => description).map(({ name }) => name);
    for (const [route, { summary, description, tags: own, parameters }] of operations()) {
      expect([route, summary, description]).toEqual([route, expect.any(String), expect.any(String)]);
      expect([route, own.filter((tag) => !tags.includes(tag))]).toEqual([route, []]);
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter(({ in: where, required }) => where === 'path' && required);
      expect(declared.map(({ name }) => name)).toEqual(inPath);
    }
  });

  it('has no references to missing components, and no unused components', () => {
    const referred = new Set(JSON.stringify(served).match(/#\/components\/[^"]+/g));
    const held = (['schemas', 'headers', 'parameters'] as const).flatMap((kind) =>
      Object.keys(served.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(held.sort());
  });

  it('has no `default` of optional members, because generators would make them required', () => {
    const withDefault: string[] = [];
    const visit = (name: string, { $ref, ...own }: Schema): void => {
      const { default: preset, properties = {}, items } = $ref ? schema(nameIn($ref)) : own;
      if (preset !== undefined) withDefault.push(name);
      for (const [member, each] of Object.entries(properties)) visit(`${name}.${member}`, each);
      if (items) visit(`${name}[]`, items);
    };
    const bodies = operations().flatMap(([route, { requestBody }]) =>
      Object.values(requestBody?.content ?? {}).map((content) => [route, content.schema] as const),
    );
    expect(bodies.length).toBeGreaterThan(3);
    for (const [route, body] of bodies) visit(route, body);
    expect(withDefault).toEqual([]);
    expect(schema('CreateOrderItemDto').required).toEqual(['sku']);
  });

  it('declares the headers of every answer', () => {
    for (const [route, { responses }] of operations()) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const expected = ['X-Request-Id'];
        if (status !== '401' && status !== '403')
          expected.push('RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset');
        if (status === '429' || status === '503') expected.push('Retry-After');
        if (/^post \/v1\/(orders|deposits)$/.test(route) && status === '200') expected.push('Idempotent-Replayed');
        expect([route, status, Object.keys(headers).sort()]).toEqual([route, status, expected.sort()]);
      }
    }
    for (const { schema: type, description } of Object.values(served.components.headers))
      expect([type.type, description]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('declares the headers that answers have', async () => {
    const limited = await TestStack.start({ RATE_LIMIT_PER_SECOND: '100' }, { worker: false });
    try {
      const merchant = await limited.merchant();
      const { headers } = await merchant.client.get('/v1/wallet');
      const declared = served.paths['/v1/wallet']?.get?.responses['200']?.headers ?? {};
      for (const name of Object.keys(declared)) expect([name, headers.get(name)]).toEqual([name, expect.any(String)]);
    } finally {
      await limited.close();
    }
  });

  it('lists the codes of details with their meanings, the same as the documentation', () => {
    const { enum: codes = [], description = '' } = schema('ErrorDetailDto').properties?.code ?? {};
    const decisions = readFileSync(new URL('../docs/decisions.md', import.meta.url), 'utf8');
    const [, row = ''] = /^\| Problem codes in `details` \|(.*)\|$/m.exec(decisions) ?? [];
    expect(codes).toEqual([...row.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code));
    for (const code of codes) expect(description).toMatch(new RegExp(`\`${String(code)}\`: \\w`));
  });

  it('lists the failure codes of orders, and of items those that an item can have', () => {
    const codesOf = (name: string): unknown[] => schema(name).properties?.failure_code?.enum ?? [];
    const documented = readFileSync(new URL('../docs/failure-codes.md', import.meta.url), 'utf8');
    const codes = [...documented.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(codesOf('OrderDto')).toEqual([...codes, null]);
    expect(codesOf('OrderItemDto')).toEqual([...codes.filter((code) => code !== 'PARTIALLY_COMPLETED'), null]);
  });

  it('shows an order that does not collide with the one of the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const references = [...readme.matchAll(/"reference_id": "([^"]+)"/g)].map(([, reference]) => reference);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) expect(JSON.stringify(served)).not.toContain(`"${reference}"`);
  });

  it('is served as Swagger UI at /docs', async () => {
    const response = await fetch(`${stack.url}/docs`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('swagger-ui');
  });
});
