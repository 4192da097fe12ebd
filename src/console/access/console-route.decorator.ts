import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type { Permission } from '../../operators/roles.js';
import { ConsoleErrorDto } from './console-error.dto.js';

/**
 * The callers that a route allows: operators with a permission, every operator who is signed in (`operator`), operators who gave
 * their password but not yet their code (`half`), or anyone.
 */
export type Access = Permission | 'operator' | 'half' | 'anyone';

export const ACCESS = Symbol('access');

type Answer = Pick<ApiResponseOptions, 'description'> &
  ({ type: Type<unknown> } | { pageOf: Type<unknown> } | { csv: true });

interface RouteOptions {
  summary: string;
  description?: string;
  /** The status of its answer: 200 by default. */
  status?: number;
  answer: Answer;
}

/** Restricts a route, documents it, and sets the status that the document names. */
export const ConsoleRoute = (
  access: Access,
  { summary, description, status = 200, answer }: RouteOptions,
): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS, access),
    HttpCode(status),
    ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
    ApiExtension('x-access', access),
    ...answerOf(answer, status),
    ApiResponse({ status: 'default', type: ConsoleErrorDto, description: 'What went wrong' }),
  );

function answerOf(answer: Answer, status: number): (ClassDecorator | MethodDecorator)[] {
  const { description = summaryOf(answer) } = answer;
  if ('csv' in answer) {
    const content = { 'text/csv': { schema: { type: 'string' as const } } };
    return [ApiResponse({ status, description, content })];
  }
  if ('type' in answer) return [ApiResponse({ status, description, type: answer.type })];
  const properties = {
    data: { type: 'array', items: { $ref: getSchemaPath(answer.pageOf) } },
    next_cursor: { type: 'string', nullable: true, example: null },
  };
  const schema = { type: 'object', required: ['data', 'next_cursor'], properties };
  return [ApiExtraModels(answer.pageOf), ApiResponse({ status, description, schema })];
}

const summaryOf = (answer: Answer): string =>
  'csv' in answer ? 'Lines of text' : 'pageOf' in answer ? 'A page of the list' : 'The result';
