import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { ApiPage, type ApiAnswer } from './answer.decorators.js';
import { ERROR_EXAMPLES, ErrorDto } from './error.dto.js';

type DocumentedError = keyof typeof ERROR_EXAMPLES;

/** Errors that every route of the merchant API can answer. */
const ALWAYS: DocumentedError[] = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** A route's answer: an object, a list, or a page of a list. */
type Answer = Omit<ApiAnswer, 'status'> & ({ type: Type<unknown> | [Type<unknown>] } | { pageOf: Type<unknown> });

/** A route's documentation. */
interface RouteOptions {
  summary: string;
  description: string;
  /** The body's type, and valid examples by title. */
  body?: { type: Type<unknown>; examples: Record<string, object> };
  /** The answer's status; 200 by default. */
  status?: number;
  answer: Answer;
  /** The errors that this route can answer, in addition to those of all routes. */
  errors: DocumentedError[];
}

/** Documents a route of the merchant API, and sets the documented status. */
export function ApiRoute({ summary, description, body, status = 200, answer, errors }: RouteOptions): MethodDecorator {
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, description }),
    ...(body ? [apiBody(body)] : []),
    answerOf(answer, status),
    ...errorResponses([...errors, ...ALWAYS]).map((response) => ApiResponse(response)),
  );
}

function answerOf(answer: Answer, status: number): MethodDecorator {
  if (!('pageOf' in answer)) return ApiResponse({ ...answer, status });
  const { pageOf, ...about } = answer;
  return ApiPage(pageOf, { ...about, status });
}

function apiBody({ type, examples }: NonNullable<RouteOptions['body']>): MethodDecorator {
  const named = Object.entries(examples).map(([summary, value], index) => [`example-${index + 1}`, { summary, value }]);
  return ApiBody({ type, examples: Object.fromEntries(named) as never });
}

/** One response for each status, with an example for each error that has it. */
function errorResponses(errors: DocumentedError[]): ApiResponseOptions[] {
  const statuses = [...new Set(errors.map((error) => ERROR_EXAMPLES[error].status))];
  return statuses.map((status) => {
    const ofStatus = errors.filter((error) => ERROR_EXAMPLES[error].status === status);
    const examples = ofStatus.map((error) => [error, { summary: error, value: ERROR_EXAMPLES[error] }]);
    const description = ofStatus.join(' or ');
    return { status, description, type: ErrorDto, examples: Object.fromEntries(examples) as never };
  });
}
