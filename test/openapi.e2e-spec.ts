import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestStack } from './support/stack.js';

type Operation = { security?: unknown; responses: Record<string, { content?: Record<string, object> }> };
type Document = { paths: Record<string, Record<string, Operation>> };

let stack: TestStack;
let served: Document;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  served = (await (await fetch(`${stack.url}/docs-json`)).json()) as Document;
});

afterAll(() => stack.close());

describe('the OpenAPI document', () => {
  it('is the committed openapi.json: npm run openapi writes it anew', () => {
    const committed = JSON.parse(
      readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
    ) as Document;
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

  it('lets a member be null wherever it says so, an enumeration included', () => {
    const enumerations: unknown[][] = [];
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { nullable, enum: values } = schema as { nullable?: boolean; enum?: unknown[] };
      if (nullable === true && Array.isArray(values)) enumerations.push(values);
      Object.values(schema).forEach(visit);
    };
    visit(served);
    expect(enumerations.length).toBeGreaterThan(1);
    for (const values of enumerations) expect(values).toContain(null);
  });

  it('is served as Swagger UI at /docs', async () => {
    const response = await fetch(`${stack.url}/docs`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('swagger-ui');
  });
});
