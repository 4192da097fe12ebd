import type { INestApplication } from '@nestjs/common';
import { createConsoleOpenApi } from '../../src/console/openapi.js';

/** A route of the console, from its OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  /** The roles that may call it. */
  access: string | undefined;
}

export function everyOperation(app: INestApplication): Operation[] {
  const { paths } = createConsoleOpenApi(app);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, { 'x-access'?: string }>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      access: operation['x-access'],
    })),
  );
}

/** The path with a value for each parameter that no row has. */
export const fill = (path: string): string =>
  path
    .replace('{number}', 'ord_0000000000000000')
    .replace('{unit}', '1.1')
    .replace('{code}', 'nobody')
    .replace(/\{\w+\}/g, '999999');
