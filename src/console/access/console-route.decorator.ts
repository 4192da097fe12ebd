import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';
import { CONSOLE_DETAIL_CODES, DETAIL_CODES, HTTP_STATUS } from '../../core/errors.js';
import { ApiPage, meanings, Shown, type ApiAnswer } from '../../core/http/answer.decorators.js';
import { withoutUndefined } from '../../core/members.js';
import type { Permission } from '../../operators/roles.js';

const CODES = { ...DETAIL_CODES, ...CONSOLE_DETAIL_CODES };

class ConsoleErrorDetailDto {
  @Shown.text('reason', 'The path of the member, or the name of the missing permission') field!: string;
  @Shown.oneOf(Object.keys(CODES), 'REQUIRED', meanings('What is wrong', CODES)) code!: string;
  @Shown.text('reason is required') message!: string;
}

/** The body of every error. */
class ConsoleErrorDto {
  @Shown.integer(403) status!: number;
  @Shown.oneOf(Object.keys(HTTP_STATUS), 'FORBIDDEN') code!: string;
  @Shown.text('Sign in first') message!: string;
  @ApiPropertyOptional({ type: [ConsoleErrorDetailDto], description: 'One entry per problem' })
  details?: ConsoleErrorDetailDto[];
}

/**
 * The callers that a route allows:
 * - a permission: every operator who has the permission.
 * - `operator`: every operator who is signed in.
 * - `self`: also an operator who must still set up a second factor. Its routes are about the caller's own account.
 * - `half`: every operator with a session, even before the code of the second factor.
 * - `anyone`: every caller, also without a session.
 */
export type Access = Permission | 'operator' | 'self' | 'half' | 'anyone';

export const ACCESS = Symbol('access');

/** An object, a page of a list, lines of text, or a page to print. */
type Answer = Type<unknown> | [Type<unknown>] | 'csv' | 'html';

interface RouteOptions {
  description?: string;
  /** The status of the route's answer: 200 by default. */
  status?: number;
  /** Describes the route's answer. */
  answered?: string;
}

/** Restricts a route, documents it, and sets the status that the document names. */
export const ConsoleRoute = (
  access: Access,
  summary: string,
  answer: Answer,
  { description, status = 200, answered }: RouteOptions = {},
): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS, access),
    HttpCode(status),
    ApiOperation(withoutUndefined({ summary, description })),
    ApiExtension('x-access', access),
    answerOf(answer, { status, ...withoutUndefined({ description: answered }) }),
    ApiResponse({ status: 'default', type: ConsoleErrorDto, description: 'What went wrong' }),
  );

function answerOf(answer: Answer, about: ApiAnswer): MethodDecorator {
  if (typeof answer === 'string') {
    const content = { [`text/${answer}`]: { schema: { type: 'string' as const } } };
    return ApiResponse({ description: answer === 'csv' ? 'Lines of text' : 'A page', ...about, content });
  }
  if (Array.isArray(answer)) return ApiPage(answer[0], { description: 'A page of the list', ...about });
  return ApiResponse({ description: 'The result', ...about, type: answer });
}
